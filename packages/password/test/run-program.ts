import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** How a process of its own ended, and the JSON that it printed last. */
export interface ProgramResult {
  readonly exitCode: number
  readonly output: Record<string, unknown>
  readonly errors: string
}

/** Runs a module in a process of its own, as an application would, and waits until it ends by itself. */
export function runProgram(source: string, flags: readonly string[] = []): Promise<ProgramResult> {
  const options = { cwd: fileURLToPath(new URL('.', import.meta.url)), timeout: 170_000 }
  const sourceFlags = ['--conditions=@latchkey/source', '--input-type=module', '--eval', source]
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, ...sourceFlags], options, (error, stdout, stderr) => {
      const last = stdout.trim().split('\n').at(-1) || '{}'
      resolve({ exitCode: error ? Number(error.code ?? -1) : 0, output: JSON.parse(last), errors: stderr })
    })
  })
}
