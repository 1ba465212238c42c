import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Makes `tmpdir()` of this process and of those that it starts a folder which is gone when this process ends: one folder,
 * though vitest reads its configuration for each project. In a deeper one the paths of a browser's sockets are too long.
 */
export function useTemporaryFolder(): void {
  if (process.env.LATCHKEY_TEMPORARY_FOLDER_OF === String(process.pid)) return
  process.env.LATCHKEY_TEMPORARY_FOLDER_OF = String(process.pid)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tests-'))
  // Servers run as another user.
  chmodSync(folder, 0o711)
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}
