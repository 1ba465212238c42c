import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes `tmpdir()` of this process and of those that it starts a folder which is gone when this process ends. */
export function useTemporaryFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tests-'))
  // Servers run as another user.
  chmodSync(folder, 0o711)
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}
