import { describeMachine, writeMachine } from './machine.ts'
import { type BenchOptions, readOptions, writeUsage } from './options.ts'
import type { PartReport } from './part.ts'
import { parts } from './parts.ts'
import { createProgress } from './progress.ts'
import { runPart } from './run-part.ts'
import { writeReport } from './write-report.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options) await run(options)
  else process.stdout.write(writeUsage())
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`${error.message}\n\nnpm run bench -- --help\n`)
  process.exitCode = 2
}

async function run({ json, rounds, seconds, own, parts: names }: BenchOptions): Promise<void> {
  const machine = describeMachine(names.flatMap((name) => parts[name]?.packages ?? []))
  if (!json) process.stdout.write(`${writeMachine(machine)}\n`)
  const reports: Record<string, PartReport> = {}
  for (const [index, name] of names.entries()) {
    const progress = createProgress(`${name} (${index + 1} of ${names.length})`)
    try {
      const report = await runPart(name, { rounds, seconds, own, progress: progress.say })
      reports[name] = report
      progress.end('done')
      if (!json) process.stdout.write(`\n${writeReport(name, parts[name]?.about ?? '', report)}\n`)
    } catch (error) {
      progress.end('failed')
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
      process.exitCode = 1
    }
  }
  if (json) process.stdout.write(`${JSON.stringify({ machine, rounds, seconds, parts: reports }, null, 2)}\n`)
}
