import { readFileSync } from 'node:fs'
import { type Result, readRun } from './documents/result.ts'
import { writeDocuments } from './documents/write-documents.ts'
import { describeMachine, writeMachine } from './machine.ts'
import { type BenchOptions, readOptions, writeUsage } from './options.ts'
import type { Part, PartReport } from './part.ts'
import { parts } from './parts.ts'
import { createProgress } from './progress.ts'
import { runPart } from './run-part.ts'
import { writeReport } from './write-report.ts'

type Measured = Record<string, Result & PartReport>

try {
  const options = readOptions(process.argv.slice(2))
  if (!options) process.stdout.write(writeUsage())
  else if (options.from === null) finish(options, await measure(options))
  else finish(options, readRun(readFileSync(options.from, 'utf8')).parts)
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`${error.message}\n\nnpm run bench -- --help\n`)
  process.exitCode = 2
}

/** Prints each table as soon as it is complete. */
async function measure(options: BenchOptions): Promise<Measured> {
  const measured: Measured = {}
  for (const [index, name] of options.parts.entries()) {
    const part = parts[name]
    if (!part) continue
    const progress = createProgress(`${name} (${index + 1} of ${options.parts.length})`)
    try {
      measured[name] = await measurePart(name, part, options, progress.say)
      progress.end('done')
      if (!options.json) process.stdout.write(`${writeResult(name, measured[name])}\n`)
    } catch (error) {
      progress.end('failed')
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
      process.exitCode = 1
    }
  }
  return measured
}

async function measurePart(
  name: string,
  part: Part,
  options: BenchOptions,
  say: (text: string) => void,
): Promise<Result & PartReport> {
  const { about, packages } = part
  const [rounds, seconds] = [options.rounds ?? part.rounds, options.seconds ?? part.seconds]
  const report = await runPart(name, { rounds, seconds, own: options.own, progress: say })
  return { about, machine: describeMachine(packages), rounds, seconds, ...report }
}

function writeResult(name: string, result: Result & PartReport): string {
  return `\n${writeReport(name, result.about, result)}\n\n${writeMachine(result.machine)}`
}

function finish({ json, writeDocs }: BenchOptions, measured: Readonly<Record<string, Result>>): void {
  if (json) process.stdout.write(`${JSON.stringify({ parts: measured }, null, 2)}\n`)
  if (writeDocs) writeDocuments(measured, Object.keys(parts))
}
