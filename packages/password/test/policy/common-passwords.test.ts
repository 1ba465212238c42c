import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createPasswordPolicy } from '@latchkey/password'
import { dictionary } from '@zxcvbn-ts/language-common'
import { describe, expect, test } from 'vitest'

const inRepository = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const known: readonly string[] = dictionary['passwords-common']

describe('the list of common passwords', () => {
  test('equals the output of its script for the installed source', async () => {
    const script = [inRepository('scripts/common-passwords.mjs'), '--print']
    const { stdout } = await promisify(execFile)(process.execPath, script, { maxBuffer: 1e6 })
    const written = await readFile(inRepository('packages/password/src/policy/common-passwords.ts'), 'utf8')
    expect(stdout).toBe(written)
  })

  test('is small, and names its source, licence and size', async () => {
    const written = await readFile(inRepository('packages/password/src/policy/common-passwords.ts'), 'utf8')
    const [, head = '', words = ''] = /^\/\*!(.*?)\*\/.*`(.*)`\n$/s.exec(written) ?? []
    expect(written.length).toBeLessThan(60_000)
    expect(head).toContain('@zxcvbn-ts/language-common')
    expect(head).toContain('Permission is hereby granted, free of charge')
    expect(head).toContain(`${words.trim().split(/\s+/).length} words out of the ${known.length}`)
  })
})

describe('the common passwords of the source', () => {
  test('all that are long enough as the only factor are refused', async () => {
    const policy = createPasswordPolicy()
    const long = known.filter((password) => password.length >= 15)
    expect(long.length).toBeGreaterThan(30)
    expect(await acceptedBy(policy, long)).toEqual([])
  })

  test('are refused if they are among the first twenty thousand and long enough with a second factor', async () => {
    const policy = createPasswordPolicy({ minimumCharacters: 8 })
    const long = known.slice(0, 20_000).filter((password) => password.length >= 8)
    expect(long.length).toBeGreaterThan(7000)
    expect(await acceptedBy(policy, long)).toEqual([])
  })
})

async function acceptedBy(policy: ReturnType<typeof createPasswordPolicy>, passwords: readonly string[]) {
  const verdicts = await Promise.all(passwords.map((password) => policy.check(password)))
  return passwords.filter((_, index) => verdicts[index]?.ok)
}
