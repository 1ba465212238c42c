import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atMost, type PartReport, type PartRun } from './part.ts'
import { orderOf } from './rounds.ts'
import { median } from './statistics.ts'
import { formatNumber } from './table.ts'

const core = ['bytes', 'store', 'password', 'sessions', 'jwt', 'rbac', 'http', 'accounts'].map(
  (name) => `@latchkey/${name}`,
)
const optional = ['node', 'sql', 'redis', 'totp'].map((name) => (name === 'node' ? 'server/node' : name))

/** The imports of each process. */
const imports: Readonly<Record<string, readonly string[]>> = {
  nothing: [],
  'latchkey without GraphQL': core,
  graphql: ['graphql-17'],
  'latchkey with GraphQL': ['@latchkey/server'],
  'latchkey with all parts': ['@latchkey/server', ...optional.map((name) => `@latchkey/${name}`)],
  'better-auth': ['better-auth'],
  jose: ['jose'],
}
const kept = ', kept compiled'
const ways = Object.keys(imports).flatMap((name) => [name, name + kept])

const here = fileURLToPath(new URL('.', import.meta.url))
const build = fileURLToPath(new URL('../../../scripts/build-packages.mjs', import.meta.url))

/** The duration of a process that imports published packages and exits. */
interface Start {
  readonly ms: number
  /** Its processor time, which other work on the machine affects less. */
  readonly cpuMs: number
}

/** Measures processes that import published packages and exit. */
export async function measureColdStart(run: PartRun): Promise<PartReport> {
  run.progress('building the packages')
  const built = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] })
  if (built.status !== 0) throw new Error('the packages were not built')
  const cache = mkdtempSync(join(tmpdir(), 'latchkey-compiled-'))
  try {
    for (const name of [...ways, ...ways]) startOnce(name, cache)
    return report(startInTurn(run, cache))
  } finally {
    rmSync(cache, { recursive: true })
  }
}

type Starts = Readonly<Record<string, readonly Start[]>>

/**
 * Starts every way once in each turn, in alternating order. The cost of an import is the difference of two starts.
 * Other work on the machine changes both by more than that from one second to the next, so only starts of the same turn
 * are compared.
 */
function startInTurn({ rounds, seconds, progress }: PartRun, cache: string): Starts {
  const starts: Record<string, Start[]> = Object.fromEntries(ways.map((name) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}: ${ways.length} ways in turn`)
    const end = performance.now() + seconds * 1000 * ways.length
    for (let turn = 0; turn === 0 || performance.now() < end; turn++) {
      for (const name of orderOf(ways, turn)) starts[name]?.push(startOnce(name, cache))
    }
  }
  return starts
}

function report(figures: Starts): PartReport {
  const over = (name: string, base: string, of: keyof Start): number =>
    median((figures[name] ?? []).map((start, turn) => start[of] - (figures[base]?.[turn]?.[of] ?? Number.NaN)))
  const rows = Object.entries(figures).map(([name, starts]) => {
    const nothing = name.endsWith(kept) ? `nothing${kept}` : 'nothing'
    const cells = [median(starts.map(({ ms }) => ms)), over(name, nothing, 'ms'), over(name, nothing, 'cpuMs')]
    return [name, ...cells.map(formatNumber)]
  })
  const limit = (most: number, name: string, base: string) =>
    atMost(most, `ms more than ${base}`, name, over(name, base, 'ms'))
  return {
    tables: [
      {
        title: 'A process that imports and ends',
        head: ['imports', 'ms', 'more than nothing', 'processor time more'],
        rows,
      },
    ],
    targets: [
      limit(15, 'latchkey without GraphQL', 'nothing'),
      limit(25, 'latchkey with GraphQL', 'graphql'),
      limit(10, `latchkey with GraphQL${kept}`, `graphql${kept}`),
    ],
    figures,
  }
}

function startOnce(way: string, cache: string): Start {
  const isKept = way.endsWith(kept)
  const names = imports[isKept ? way.slice(0, -kept.length) : way] ?? []
  const tell = "process.on('exit', () => { const { user, system } = process.cpuUsage(); console.log(user + system) })"
  const script = [...names.map((name) => `import '${name}'`), tell].join('\n')
  const { NODE_COMPILE_CACHE: _cache, ...env } = process.env
  const start = performance.now()
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: here,
    env: { ...env, ...(isKept && { NODE_COMPILE_CACHE: cache }) },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${way}: ${names.join(', ')} could not be imported`)
  return { ms: performance.now() - start, cpuMs: Number(stdout) / 1000 }
}
