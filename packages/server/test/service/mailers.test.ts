import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '@latchkey/accounts'
import { createTerminalMailer } from '@latchkey/server'
import { createFileMailer } from '@latchkey/server/node'
import { afterAll, describe, expect, test, vi } from 'vitest'

const folder = await mkdtemp(join(tmpdir(), 'latchkey-mail-'))
afterAll(() => rm(folder, { recursive: true }))

const url = 'https://example.com/verify?token=t'
const message: Extract<Message, { readonly kind: 'verify-address' }> = {
  kind: 'verify-address',
  locale: 'en',
  html: '<!doctype html>',
  data: { url, at: 1 },
  to: 'ada@example.com',
  subject: 'Confirm your email address',
  text: 'Follow this link:\n\nhttps://example.com/verify?token=t',
  url,
}

describe('the file mailer', () => {
  test('writes each message to a new file that only its owner can read', async () => {
    const directory = join(folder, 'one', 'two')
    const mailer = createFileMailer({ directory, now: () => 1_800_000_000_000 })
    await mailer.send(message)
    expect(await readdir(directory)).toEqual(['1800000000000-ada@example.com.json'])
    const path = join(directory, '1800000000000-ada@example.com.json')
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(message)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('keeps every message of the same millisecond, even from two mailers', async () => {
    const directory = join(folder, 'many')
    const mailers = [1, 2].map(() => createFileMailer({ directory, now: () => 1_800_000_000_000 }))
    await Promise.all(mailers.flatMap((mailer) => Array.from({ length: 10 }, () => mailer.send(message))))
    const names = await readdir(directory)
    expect(names).toHaveLength(20)
    for (const name of names) expect(name).toMatch(/^18000000000\d\d-ada@example\.com\.json$/)
  })

  test.each([
    ['../../etc/passwd@example.com', '.._.._etc_passwd@example.com'],
    ['a\0b/c\\d@example.com', 'a_b_c_d@example.com'],
    ['µ@example.com', '_@example.com'],
    [`${'x'.repeat(300)}@example.com`, 'x'.repeat(100)],
  ])('keeps the file in its folder: %j', async (to, name) => {
    const directory = await mkdtemp(join(folder, 'names-'))
    await createFileMailer({ directory, now: () => 1 }).send({ ...message, to })
    expect(await readdir(directory)).toEqual([`1-${name}.json`])
  })

  test('rejects when it cannot write', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(createFileMailer({ directory: file }).send(message)).rejects.toMatchObject({ code: 'EEXIST' })
    expect(() => createFileMailer({ directory: '' })).toThrow('"directory" must name a folder')
  })
})

describe('the terminal mailer', () => {
  test('prints a message with its link', async () => {
    const write = vi.fn()
    await createTerminalMailer({ write }).send(message)
    expect(write).toHaveBeenCalledExactlyOnceWith(
      '\nMail to ada@example.com: Confirm your email address\n\n' +
        '  Follow this link:\n  \n  https://example.com/verify?token=t\n',
    )
  })

  test('prints to the console by default', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await createTerminalMailer().send(message)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })
})
