// Runs the benchmarks, one after the other: those that a package keeps beside it, then the comparison with other
// libraries. All of them, or those whose path contains one of the arguments.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { publicPackages, root } from './workspace.mjs'

const wanted = process.argv.slice(2)
const ofPackages = publicPackages()
  .map(({ folder }) => join(folder, 'bench'))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
const comparison = ['main.ts', 'sessions-main.ts'].map((file) => join(root, 'packages/benchmarks/src', file))
const programs = [...ofPackages, ...comparison]
  .map((file) => relative(root, file))
  .filter((path) => path.endsWith('.ts') && (wanted.length === 0 || wanted.some((part) => path.includes(part))))

if (programs.length === 0) {
  console.error(`no benchmark matches: ${wanted.join(', ')}`)
  process.exit(2)
}
for (const program of programs) {
  console.log(`\n${program}`)
  const { status } = spawnSync(process.execPath, ['--conditions=@latchkey/source', program], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}
