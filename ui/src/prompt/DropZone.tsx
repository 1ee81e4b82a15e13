// A part of the window that takes files which are dropped anywhere on it.
import { FileDown } from "lucide-react";
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from "react";
import styles from "./DropZone.module.css";
import { holdsFiles } from "./transfer";

export interface DropZoneProps {
  /** What is said while files are held over it. */
  label: string;
  onFiles: (files: readonly File[]) => void;
  children: ReactNode;
}

export function DropZone({ label, onFiles, children }: DropZoneProps) {
  const zone = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState(false);
  // Dialogs are children for React and stand elsewhere in the page: what is held over them is theirs.
  const mine = (event: DragEvent) => holdsFiles(event.dataTransfer) && event.target instanceof Node && (zone.current?.contains(event.target) ?? false);
  const hold = (event: DragEvent) => {
    if (!mine(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    setOver(true);
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget instanceof Node && zone.current?.contains(event.relatedTarget)) return;
    setOver(false);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    if (!mine(event)) return;
    event.preventDefault();
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <div ref={zone} className={styles.zone} data-testid="drop-zone" onDragEnter={hold} onDragOver={hold} onDragLeave={leave} onDrop={drop}>
      {children}
      {over ? (
        <div className={styles.over} aria-hidden="true">
          <span className={styles.word}><FileDown /> {label}</span>
        </div>
      ) : null}
    </div>
  );
}

/** A file that misses every zone must not replace the window by itself. */
export function useNoStrayDrops(): void {
  useEffect(() => {
    const stop = (event: globalThis.DragEvent) => {
      if (event.defaultPrevented || !holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
    };
    window.addEventListener("dragover", stop);
    window.addEventListener("drop", stop);
    return () => {
      window.removeEventListener("dragover", stop);
      window.removeEventListener("drop", stop);
    };
  }, []);
}
