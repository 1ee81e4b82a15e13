/** `2.4 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
