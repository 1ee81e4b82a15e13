import { useQuery } from "@tanstack/react-query";
import { host, type AttachedFile, type HostError } from "../host";

/** An attached image; another file has no size. */
export const isPicture = ({ size }: Pick<AttachedFile, "size">): boolean => size !== null;

/** The small picture of an attached image. A file never changes, so it is asked for once. */
export function usePreview(file: AttachedFile) {
  const { data, error, isPending } = useQuery<string | null, HostError>({
    queryKey: ["attachment preview", file.id],
    queryFn: () => host.attachmentPreview(file.id),
    enabled: isPicture(file),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const address = data?.startsWith("data:image/") ? data : null;
  return { address, error, waiting: isPicture(file) && isPending };
}
