import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../build-house.ts'

test('the temporary folder of tests is one of their run', () => {
  expect(basename(tmpdir())).toMatch(/^latchkey-tests-/)
})

test('the temporary folder of a process is removed with its files when the process exits', () => {
  const program = `
    import { mkdtempSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { useTemporaryFolder } from '${root}scripts/temporary-folder.ts'
    useTemporaryFolder()
    console.log(mkdtempSync(tmpdir() + '/left-'))`
  const left = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }).trim()
  expect(left).toMatch(/latchkey-tests-\w+\/left-/)
  expect(existsSync(left)).toBe(false)
})
