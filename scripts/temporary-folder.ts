import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Sets `tmpdir()` of this process and its children to a new folder, which is removed when this process exits. Vitest reads
 * its configuration once per project, and all calls share one folder. It is not nested: paths of a browser's sockets would
 * be too long.
 */
export function useTemporaryFolder(): void {
  if (process.env.LATCHKEY_TEMPORARY_FOLDER_OF === String(process.pid)) return
  process.env.LATCHKEY_TEMPORARY_FOLDER_OF = String(process.pid)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tests-'))
  // Database servers run as another user, who must reach their folders in it.
  chmodSync(folder, 0o711)
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}
