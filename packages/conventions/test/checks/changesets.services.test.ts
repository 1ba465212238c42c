import { execFile } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildHouse } from '../build-house.ts'
import { house } from '../this-house.ts'

const run = promisify(execFile)
const text = '\n\nA sentence for the changelog.\n'

test('the changesets that are here raise versions and become changelogs, with dependencies once', async () => {
  const patches = house.packages.map(({ name }) => `"${name}": patch\n`).join('')
  const more = { '.changeset/zz.md': `---\n${patches}---${text}` }
  const copied = house.files.filter((file) => /^\.changeset\/|^pnpm-workspace\.yaml$|(^|\/)package\.json$/.test(file))
  const { root } = buildHouse(Object.fromEntries(copied.map((file) => [file, house.read(file)])), more)
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  symlinkSync(join(house.root, 'node_modules'), join(root, 'node_modules'), 'junction')
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=one', '-c', 'user.email=one@example.com', ...args], { cwd: root })
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'everything at once')

  await run(process.execPath, [join(house.root, 'node_modules/@changesets/cli/bin.js'), 'version'], { cwd: root })

  expect(existsSync(join(root, '.changeset/zz.md'))).toBe(false)
  for (const { folder, name, manifest } of house.packages) {
    const { version } = JSON.parse(read(`${folder}/package.json`))
    expect(version, name).not.toBe(manifest.version)
    const [, newest = ''] = read(`${folder}/CHANGELOG.md`).split(/^## /m)
    expect(newest, name).toContain('A sentence for the changelog.')
    expect(newest, name).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')}\n`))
    expect(newest.match(/Updated dependencies/g)?.length ?? 0, name).toBeLessThanOrEqual(1)
  }
})
