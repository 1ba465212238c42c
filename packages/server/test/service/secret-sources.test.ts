import { execFile } from 'node:child_process'
import { chmod, link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { encodeBase64url, randomBytes } from '@latchkey/bytes'
import { createEnvSecrets, createFileSecrets } from '@latchkey/server/node'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

const folder = await mkdtemp(join(tmpdir(), 'latchkey-secrets-'))
afterAll(() => rm(folder, { recursive: true }))
let drawn = 0
let path: string
beforeEach(() => {
  path = join(folder, `${++drawn}`, 'secret')
})
const key = () => encodeBase64url(randomBytes(32))

describe('createFileSecrets', () => {
  test('creates the file and its folder, for the owner only, when it is first loaded', async () => {
    const source = createFileSecrets({ path })
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
    const secrets = await source.load()
    expect(secrets).toHaveLength(1)
    expect(secrets[0].bytes).toHaveLength(32)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(path, '..'))).toEqual(['secret'])
  })

  test('loads the same secret at every start', async () => {
    const first = await createFileSecrets({ path }).load()
    expect(await createFileSecrets({ path }).load()).toEqual(first)
  })

  test('loads one secret for concurrent calls in one process', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => createFileSecrets({ path }).load()))
    expect(new Set(all.map(([{ id, bytes }]) => `${id} ${encodeBase64url(bytes)}`)).size).toBe(1)
    expect(await readdir(join(path, '..'))).toEqual(['secret'])
  })

  test('loads one secret in several processes that start together', async () => {
    const program = `import { createFileSecrets } from '@latchkey/server/node'
      const [{ bytes }] = await createFileSecrets({ path: process.argv[1] }).load()
      process.stdout.write(Buffer.from(bytes).toString('hex'))`
    const args = ['--conditions=@latchkey/source', '--input-type=module', '--eval', program, path]
    const cwd = import.meta.dirname
    const runs = await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, args, { cwd })))
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1)
    expect(runs[0]?.stdout).toMatch(/^[0-9a-f]{64}$/)
  })

  test('reads several, the newest first', async () => {
    await createFileSecrets({ path }).load()
    const [old] = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, `2027 ${key()}\r\n\n${old}`)
    expect((await createFileSecrets({ path }).load()).map(({ id }) => id)).toEqual(['2027', old?.split(' ')[0]])
  })

  test.each([
    ['is empty', () => ''],
    ['has only line breaks', () => '\n\n'],
    ['was cut off', () => `a ${key().slice(0, 30)}`],
    ['was cut off in the middle of its second line', () => `a ${key()}\nb ${key().slice(0, 42)}`],
    ['has no id', () => key()],
    ['has an empty id', () => ` ${key()}`],
    ['has an id that none may have', () => `a/b ${key()}`],
    ['has words behind the key', () => `a ${key()} old`],
    ['has padding', () => `a ${key()}=`],
    ['has another alphabet', () => `a ${'+'.repeat(43)}`],
    ['has an id twice', () => `a ${key()}\na ${key()}`],
    ['is something else', () => '{"secret":"a"}'],
    ['holds zero bytes', () => '\0'.repeat(100)],
  ])('refuses a file that %s, and keeps the file', async (_what, text) => {
    await createFileSecrets({ path }).load()
    const written = text()
    await writeFile(path, written)
    await expect(createFileSecrets({ path }).load()).rejects.toThrow(TypeError)
    expect(await readFile(path, 'utf8')).toBe(written)
  })

  test('does not show content of the file in its errors', async () => {
    await createFileSecrets({ path }).load()
    const secret = key()
    await writeFile(path, `a ${secret} more`)
    const error = await createFileSecrets({ path }).load().catch(String)
    expect(error).not.toContain(secret)
  })

  test.each([0o640, 0o604, 0o660, 0o666, 0o610])('refuses a file that others may touch: %o', async (mode) => {
    await createFileSecrets({ path }).load()
    await chmod(path, mode)
    await expect(createFileSecrets({ path }).load()).rejects.toThrow('chmod 600')
    await chmod(path, 0o600)
    await createFileSecrets({ path }).load()
  })

  test('follows a symbolic link to the secret', async () => {
    const secrets = await createFileSecrets({ path }).load()
    await symlink(path, `${path}.link`)
    expect(await createFileSecrets({ path: `${path}.link` }).load()).toEqual(secrets)
    await link(path, `${path}.hard`)
    expect(await createFileSecrets({ path: `${path}.hard` }).load()).toEqual(secrets)
  })

  test('rejects with the error of the file system', async () => {
    await expect(createFileSecrets({ path: folder }).load()).rejects.toMatchObject({ code: 'EISDIR' })
    await createFileSecrets({ path }).load()
    await expect(createFileSecrets({ path: join(path, 'secret') }).load()).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  test('needs a path', () => {
    expect(() => createFileSecrets({ path: '' })).toThrow('"path" must name a file')
  })
})

describe('createEnvSecrets', () => {
  const load = (text?: string) => createEnvSecrets({ environment: { LATCHKEY_SECRET: text } }).load()
  const [one, two] = ['0123456789abcdef0123456789abcdef', 'c'.repeat(40)]

  test('derives the secret and its id from the text, the same in every process', async () => {
    const [secret] = await load(one)
    expect(secret.bytes).toHaveLength(32)
    expect(secret.id).toMatch(/^[\w-]{8}$/)
    expect(await load(` ${one}\n`)).toEqual([secret])
    expect(encodeBase64url(secret.bytes)).not.toContain(secret.id)
  })

  test('reads several, the newest first', async () => {
    const [[first], [second]] = [await load(one), await load(two)]
    expect(await load(`${two}, ${one}`)).toEqual([second, first])
  })

  test.each([undefined, '', '  '])('throws an error that names the missing variable: %j', async (text) => {
    await expect(load(text)).rejects.toThrow('LATCHKEY_SECRET must be set')
  })

  test.each(['a'.repeat(31), `${one},`, `${one},short`, `,${one}`, `${one},${one}`])('refuses %j', async (text) => {
    const error = await load(text).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).not.toContain(one)
  })

  test('reads the given variable, by default from the process', async () => {
    process.env.LATCHKEY_TEST_SECRET = one
    expect(await createEnvSecrets({ variable: 'LATCHKEY_TEST_SECRET' }).load()).toEqual(await load(one))
    delete process.env.LATCHKEY_TEST_SECRET
    await expect(createEnvSecrets({ variable: 'LATCHKEY_TEST_SECRET' }).load()).rejects.toThrow('LATCHKEY_TEST_SECRET')
  })
})
