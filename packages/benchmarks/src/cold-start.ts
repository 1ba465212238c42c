import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { atMost, type PartReport, type PartRun } from './part.ts'
import { measureRounds } from './rounds.ts'
import { median } from './statistics.ts'
import { formatNumber } from './table.ts'

const core = ['bytes', 'store', 'password', 'sessions', 'jwt', 'rbac', 'http', 'accounts'].map(
  (name) => `@latchkey/${name}`,
)

/** What a process imports before it ends. */
const imports: Readonly<Record<string, readonly string[]>> = {
  nothing: [],
  'latchkey without GraphQL': core,
  graphql: ['graphql-17'],
  'latchkey with GraphQL': [...core, '@latchkey/graphql', '@latchkey/server'],
  'better-auth': ['better-auth'],
  jose: ['jose'],
}

const here = fileURLToPath(new URL('.', import.meta.url))
const build = fileURLToPath(new URL('../../../scripts/build-packages.mjs', import.meta.url))

/** Milliseconds from the start of a process that imports packages as they are published until its end. */
export async function measureColdStart(run: PartRun): Promise<PartReport> {
  run.progress('building the packages')
  const built = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] })
  if (built.status !== 0) throw new Error('the packages were not built')
  for (const names of Object.values(imports)) startOnce(names)
  const figures = await measureRounds(run, Object.keys(imports), async (name) => startMany(name, run.seconds))
  const over = (name: string, base: string): number =>
    median((figures[name] ?? []).map((figure, round) => figure - (figures[base]?.[round] ?? Number.NaN)))
  const rows = Object.entries(figures).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds)),
    formatNumber(over(name, 'nothing')),
  ])
  return {
    tables: [{ title: 'A process that imports and ends', head: ['imports', 'ms', 'more than nothing'], rows }],
    targets: [
      atMost(15, 'ms more than nothing', 'latchkey without GraphQL', over('latchkey without GraphQL', 'nothing')),
      atMost(20, 'ms more than graphql', 'latchkey with GraphQL', over('latchkey with GraphQL', 'graphql')),
    ],
    figures,
  }
}

function startMany(name: string, seconds: number): number {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) times.push(startOnce(imports[name] ?? []))
  return median(times)
}

function startOnce(names: readonly string[]): number {
  const script = names.map((name) => `import '${name}'`).join('\n')
  const start = performance.now()
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: here,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`${names.join(', ')} could not be imported`)
  return performance.now() - start
}
