import { parseArgs } from 'node:util'
import { every } from '@latchkey/core/internal'
import type { calibrateArgon2id } from '@latchkey/password'
import { CommandFailure } from './command-failure.ts'
import type { Command } from './run-command.ts'

const name = 'password calibrate'
const progressMs = 5_000
/** KiB × passes of the minimum of OWASP (Password Storage Cheat Sheet). */
const leastWork = 19_456 * 2

const help = `usage: latchkey password calibrate [--target-ms 250] [--json]

Measures this machine, and prints the Argon2id parameters with which one hash takes --target-ms on it: never less than
the minimum of OWASP, 19 MiB and 2 passes, and at most 64 MiB for one hash. Run it on the machine that will serve, with
nothing else running, and configure all servers alike: servers with different parameters rehash each other's hashes.

  --target-ms <ms>  the time of one hash, 1 to 10000, default 250; measuring takes about 15 times as long
  --json            prints the measurement as JSON
  --help            this text

Exit code
  0  measured
  1  it could not be measured
  2  wrong arguments`

/** `latchkey password calibrate` */
export const calibrateCommand: Command = {
  name,
  summary: 'Argon2id parameters for this machine',
  help,
  async run(args, note) {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean' }, 'target-ms': { type: 'string', default: '250' } },
    })
    const targetMs = readTarget(values['target-ms'])
    const calibration = await measure(targetMs, note)
    const warning = warningAbout(calibration, targetMs)
    if (warning !== null) note(`warning: ${warning}`)
    const json = `${JSON.stringify({ targetMs, ...calibration, warning }, null, 2)}\n`
    return { text: values.json ? json : describe(calibration, targetMs), exitCode: 0 }
  },
}

function readTarget(text: string): number {
  const target = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (target >= 1 && target <= 10_000) return target
  throw new CommandFailure(`latchkey ${name}: --target-ms must be a whole number of milliseconds from 1 to 10000.`, {
    exitCode: 2,
    next: `See: latchkey ${name} --help`,
  })
}

async function measure(targetMs: number, note: (line: string) => void): ReturnType<typeof calibrateArgon2id> {
  const { calibrateArgon2id } = await import('@latchkey/password')
  const startedAt = performance.now()
  note(`Measuring for about ${Math.max(1, Math.round((15 * targetMs) / 1000))} s. Run nothing else meanwhile.`)
  const progress = every(progressMs, () => {
    note(`… ${Math.round((performance.now() - startedAt) / 1000)} s`)
  })
  try {
    return await calibrateArgon2id({ targetMs })
  } finally {
    progress.stop()
  }
}

/** Warns if the machine cannot compute OWASP's minimum in time: the minimum is printed, but never less. */
function warningAbout(
  { parameters, hashMs }: Awaited<ReturnType<typeof calibrateArgon2id>>,
  targetMs: number,
): string | null {
  const { memoryKib, iterations } = parameters
  if (hashMs <= targetMs * 1.1 || memoryKib * iterations > leastWork) return null
  return `The minimum of OWASP takes ${Math.round(hashMs)} ms on this machine. Do not go below it: use a faster machine or a larger --target-ms.`
}

function describe(calibration: Awaited<ReturnType<typeof calibrateArgon2id>>, targetMs: number): string {
  const { parameters, hashMs, hashesPerSecond, concurrency, memoryKib, engine } = calibration
  const { memoryKib: m, iterations: t, parallelism: p } = parameters
  return `Parameters  m=${m}, t=${t}, p=${p}
Memory      ${toMebibytes(m)} for one hash, ${toMebibytes(memoryKib)} for ${concurrency} at once
Time        ${Math.round(hashMs)} ms for one hash, ${targetMs} ms requested
Rate        ${hashesPerSecond.toFixed(1)} logins per second with ${concurrency} at once
Engine      ${engine}

createPasswordHasher({ argon2id: { memoryKib: ${m}, iterations: ${t}, parallelism: ${p} } })
`
}

function toMebibytes(kibibytes: number): string {
  return `${Math.round(kibibytes / 1024)} MiB`
}
