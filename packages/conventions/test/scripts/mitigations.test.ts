import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../build-house.ts'

const run = promisify(execFile)
const scripts = join(root, 'scripts/mitigations')
const { mitigations } = await import(join(scripts, 'mitigations.mjs'))
const { takeOut } = await import(join(scripts, 'take-out.mjs'))

interface Mitigation {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly test: string
  readonly title: string
  readonly titledIn?: string
  /** The title as it is written, with places for what is different in each case. */
  readonly written?: string
}

const list = mitigations as readonly Mitigation[]

test.each(list)(
  'the test of $name has the title in the list',
  ({ test: tests, title, titledIn = tests, written = title }) => {
    expect(readFileSync(join(root, titledIn), 'utf8')).toContain(written)
    const said = written.split(/%[sij]/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    expect(title).toMatch(new RegExp(`^${said.join('.+')}$`))
  },
)

if (process.env.TEST_TIER === '3') {
  test.each(list)(
    'in the long mode: the source of $name has the text that the list replaces',
    ({ name, file, from, to }) => {
      const places = readFileSync(join(root, file), 'utf8').split(from).length - 1
      expect(places, `${file} has the text ${places} times: edit "from" of ${name} in scripts/mitigations`).toBe(1)
      expect(to).not.toBe(from)
    },
  )
}

test('names are unique', () => {
  const names = list.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('a mitigation is removed and restored, and a missing mitigation is an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-mitigations-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'src'))
  const path = join(folder, 'src/a.ts')
  const source = 'if (isRight) open()\n'
  writeFileSync(path, source)
  const one = { name: 'one', file: 'src/a.ts', from: 'if (isRight) ', to: '' }
  const putBack = takeOut(one, folder)
  expect(readFileSync(path, 'utf8')).toBe('open()\n')
  expect(() => takeOut(one, folder)).toThrow(
    'src/a.ts has the text of one 0 times: edit its "from" in scripts/mitigations',
  )
  putBack()
  expect(readFileSync(path, 'utf8')).toBe(source)
})

test('the script says how it is used, and refuses a name that it does not know', async () => {
  const words = [join(scripts, 'main.mjs')]
  const { stdout } = await run(process.execPath, [...words, '--help'])
  expect(stdout).toMatch(/^usage: npm run mitigations[\s\S]*csrf-same-site[\s\S]*--json/)
  await expect(run(process.execPath, [...words, 'nothing'])).rejects.toMatchObject({
    code: 2,
    stderr: 'mitigations: there is no mitigation "nothing"; --help names them\n',
  })
})
