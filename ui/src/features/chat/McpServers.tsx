// The MCP servers of a chat as its process reports them: a count that opens the list.
import { Popover } from "../../kit/Popover";
import { VisibleText } from "../../kit/CodeVisible";
import type { Latest } from "../../state/transcript-rows";
import styles from "./HeaderList.module.css";

/** Native words of a server that answers. */
const WELL = /^(connected|ready|ok)$/i;

export function McpServers({ servers }: { servers: Latest["mcp"] }) {
  if (servers.length === 0) return null;
  const broken = servers.filter((server) => !WELL.test(server.status)).length;
  return (
    <li data-warn={broken > 0 || undefined}>
      <Popover
        title="MCP servers of this chat"
        trigger={<button type="button" className={styles.count}>{servers.length} MCP{broken > 0 ? `, ${broken} not connected` : ""}</button>}
      >
        <ul className={styles.list}>
          {servers.map((server) => (
            <li key={server.name} className={styles.entry}>
              <span className={styles.code}><VisibleText text={server.name} /></span>
              <span className={styles.note} data-warn={!WELL.test(server.status) || undefined}>{server.status === "" ? "no status reported" : server.status}</span>
            </li>
          ))}
        </ul>
        <p className={styles.hint}>As the running process last said it. They are set in Settings, in the harness and, where you trust it, in the folder.</p>
      </Popover>
    </li>
  );
}
