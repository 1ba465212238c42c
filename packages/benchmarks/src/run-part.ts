import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PartReport, PartRun } from './part.ts'

const program = fileURLToPath(new URL('part-program.ts', import.meta.url))
const execArgv = ['--conditions=@latchkey/source', '--no-warnings']

/** Measures one part in a separate process, or rejects if that process fails. */
export async function runPart(name: string, { progress, ...run }: PartRun): Promise<PartReport> {
  // Its standard output is not ours: tables or JSON stand there alone.
  const stdio = ['ignore', 2, 'inherit', 'ipc'] as const
  const child = fork(program, [name, JSON.stringify(run)], { execArgv, stdio: [...stdio] })
  let report: PartReport | undefined
  child.on('message', (message: { progress: string } | { report: PartReport }) => {
    if ('progress' in message) progress(message.progress)
    else report = message.report
  })
  const [code] = await once(child, 'close')
  if (code !== 0 || !report) throw new Error(`${name} was not measured: its process ended with ${code}`)
  return report
}
