// Builds every public package: types with the compiler, JavaScript with tsup, one file per subpath export. Removes `dist`
// first, because files of an earlier build would be published too. Then builds the front end of the quickstart, which is
// committed.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { packageManager, publicPackages, root } from './workspace.mjs'

const packages = publicPackages()
const built = [...packages.map(({ name }) => name), '@latchkey/example-spa']
for (const { folder } of packages) rmSync(join(folder, 'dist'), { recursive: true, force: true })

run('tsc', ['-b', ...packages.map(({ folder }) => folder)])
run('npx', ['-y', packageManager, '--recursive', ...built.flatMap((name) => ['--filter', name]), 'run', 'build'])

// The next build removes `dist`, so it cannot use the compiler's build information.
for (const { folder } of packages) rmSync(join(folder, 'dist/.tsbuildinfo'), { force: true })
console.log(`built ${packages.length} packages, and the front end of the quickstart`)

function run(command, args) {
  try {
    execFileSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  } catch (error) {
    process.exit(error.status ?? 1)
  }
}
