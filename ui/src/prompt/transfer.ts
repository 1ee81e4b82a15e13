// What a paste or a drop brings.

/** A thing that is dragged over the window holds files. */
export function holdsFiles(data: DataTransfer | null): boolean {
  return data?.types.includes("Files") ?? false;
}

/** A name for a picture without one: the clipboard calls every picture the same. */
const NAMELESS = /^(image|unknown|blob)?\.(png|jpe?g|gif|webp)$/i;

/**
 * Files of a paste that are meant as files. Text from an office program comes with a picture of itself: there the text is
 * meant.
 */
export function pastedFiles(data: Pick<DataTransfer, "files" | "types" | "getData">, taken: number): File[] {
  const files = [...(data.files ?? [])];
  if (files.length === 0) return [];
  const formatted = data.types.includes("text/html") || data.types.includes("text/rtf");
  if (formatted && data.getData("text/plain").trim() !== "") return [];
  return files.map((file, at) => {
    const end = NAMELESS.exec(file.name)?.[2];
    return end ? new File([file], `pasted-image-${taken + at + 1}.${end.toLowerCase()}`, { type: file.type }) : file;
  });
}
