// Builds all public packages and packs them into one folder, from which npm installs them before they are published.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packageManager, publicPackages, root } from './workspace.mjs'

const [target, ...others] = process.argv.slice(2)
if (target === undefined || others.length > 0 || target.startsWith('-')) {
  console.error('usage: npm run pack -- <folder>\nBuilds all public packages and packs them into the folder.')
  process.exit(2)
}
const folder = resolve(root, target)
const names = publicPackages().map(({ name }) => name)

run(process.execPath, ['scripts/build-packages.mjs'])
mkdirSync(folder, { recursive: true })
for (const file of readdirSync(folder).filter((file) => /^latchkey-.+\.tgz$/.test(file))) rmSync(join(folder, file))
const filters = names.flatMap((name) => ['--filter', name])
run('npx', ['-y', packageManager, '--silent', '--recursive', ...filters, 'pack', '--pack-destination', folder])
console.log(`packed ${names.length} packages; in a project beside this repository: npm install ${target}/*.tgz graphql`)

function run(command, args) {
  try {
    execFileSync(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    })
  } catch (error) {
    process.exit(error.status ?? 1)
  }
}
