import { useQuery } from "@tanstack/react-query";
import { host, type AttachedFile, type HostError } from "../host";

/** An attached image; another file has no size. */
export const isPicture = ({ size }: Pick<AttachedFile, "size">): boolean => size !== null;

/** The picture of an attached image, small or as large as the model sees it. A file never changes, so it is asked for once. */
export function usePreview(file: AttachedFile, size: "small" | "large" = "small") {
  const { data, error, isPending } = useQuery<string | null, HostError>({
    queryKey: ["attachment preview", file.id, size],
    queryFn: () => host.attachmentPreview(file.id, size === "large"),
    enabled: isPicture(file),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const address = data?.startsWith("data:image/") ? data : null;
  return { address, error, waiting: isPicture(file) && isPending };
}
