import { createMetadataClientReader } from '@latchkey/oauth/internal'
import { describe, expect, test } from 'vitest'
import { openReader } from './support/open-reader.ts'

const production = { issuer: 'https://login.example' }
const development = { issuer: 'http://127.0.0.1:3000' }

/** Ids that start a fetch, with the lookup or the connection. */
const allowed: readonly (readonly [id: string, asked: string])[] = [
  ['https://notes.example/client.json', 'notes.example'],
  ['https://notes.example/a/b/', 'notes.example'],
  ['https://notes.example//', 'notes.example'],
  ['https://notes.example:8443/client.json', 'notes.example'],
  ['https://xn--bcher-kva.example/client', 'xn--bcher-kva.example'],
  ['https://notes.example/%7Eada/client', 'notes.example'],
  ['https://notes.example/a%0D%0Ab', 'notes.example'],
  [`https://notes.example/${'a'.repeat(490)}`, 'notes.example'],
  ['https://93.184.215.14/client.json', '93.184.215.14 443'],
  ['https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/client', '2606:2800:21f:cb07:6820:80da:af6b:8b2c 443'],
]

/** Other ids, with the broken rule. */
const refused: readonly (readonly [id: string, why: string])[] = [
  ...['', 'notes', 'client_1', 'notes.example/client', '//notes.example/client', 'urn:a:b', 'about:blank'].map(
    (id) => [id, 'no URL'] as const,
  ),
  ['http://notes.example/client.json', 'http'],
  ['ftp://notes.example/client.json', 'another scheme'],
  ['file:///etc/passwd', 'a file'],
  ['data:application/json,{}', 'data'],
  ['javascript:alert(1)', 'a script'],
  ['wss://notes.example/client', 'a socket'],
  ['https://notes.example', 'no path'],
  ['https://notes.example/', 'no path but a slash'],
  [`https://notes.example/${'a'.repeat(491)}`, '513 characters'],
  ['https://ada@notes.example/client', 'a user'],
  ['https://ada:secret@notes.example/client', 'a password'],
  ['https://@notes.example/client', 'an empty user'],
  ['https://:@notes.example/client', 'an empty password'],
  ['https://notes.example%40127.0.0.1/client', 'an escaped @'],
  ['https://notes.example@127.0.0.1/client', 'a host as user'],
  ['https://notes.example/client#a', 'a fragment'],
  ['https://notes.example/client#', 'an empty fragment'],
  ['https://notes.example/client?a=b', 'a query'],
  ['https://notes.example/client?', 'an empty query'],
  ['https://notes.example/../client', 'dot segments'],
  ['https://notes.example/a/./client', 'a dot segment'],
  ['https://notes.example/a/..', 'dot segments at the end'],
  ['https://notes.example/%2e%2e/client', 'escaped dot segments'],
  ['https://notes.example/%2E/client', 'an escaped dot segment'],
  ['https://notes.example/.%2e/client', 'a half escaped dot segment'],
  ['https://notes.example\\client', 'a backslash for a slash'],
  ['https:\\\\notes.example\\client', 'backslashes'],
  ['https:notes.example/client', 'no slashes'],
  ['https:///notes.example/client', 'three slashes'],
  ['HTTPS://notes.example/client', 'an upper-case scheme'],
  ['https://Notes.example/client', 'an upper-case host'],
  ['https://notes.example:443/client', 'the default port'],
  ['https://notes.example:/client', 'an empty port'],
  ['https://notes.example:08443/client', 'a port with a zero'],
  ['https://notes.example:65536/client', 'a port too high'],
  [' https://notes.example/client', 'a space before'],
  ['https://notes.example/client ', 'a space behind'],
  ['https://notes.example/a b', 'a space'],
  ['https://notes.example/a\tb', 'a tab'],
  ['https://notes.example/a\r\nHost: evil.example', 'a line'],
  ['https://notes.exa\nmple/client', 'a line in the host'],
  ['https://notes.example/\u0000', 'a null character'],
  ['https://bücher.example/client', 'a host that is not ASCII'],
  ['https://notes.example/bücher', 'a path that is not ASCII'],
  ['https://notes。example/client', 'an ideographic dot'],
  ['https://ⓝotes.example/client', 'a circled letter'],
  ['https://①②⑦.⓪.⓪.①/client', 'circled digits'],
  ['https://notes.example\u00ad/client', 'a soft hyphen'],
  ['https://%6eotes.example/client', 'an escaped letter of the host'],
  ['https://notes.example./client', 'a final dot'],
  ['https://127.0.0.1./client', 'an address with a final dot'],
  ['https://notes..example/client', 'an empty label'],
  ['https://.example/client', 'a first dot'],
  ['https://localhost/client', 'a name without a dot'],
  ['https://intranet/client', 'a name of the local network'],
  ['https://-notes.example/client', 'a label that begins with a hyphen'],
  ['https://notes_a.example/client', 'an underscore'],
  ["https://notes'a.example/client", 'a quote'],
  ['https://a;b.example/client', 'a semicolon'],
  [`https://${'a'.repeat(64)}.example/client`, 'a label too long'],
  [`https://${Array(64).fill('abc').join('.')}.example/client`, 'a name too long'],
  ['https://0x7f.0.0.1/client', 'an address with a hexadecimal number'],
  ['https://0177.0.0.1/client', 'an address with an octal number'],
  ['https://2130706433/client', 'an address as one number'],
  ['https://0x7f000001/client', 'an address as one hexadecimal number'],
  ['https://127.1/client', 'a short address'],
  ['https://93.184.215.014/client', 'an address with a zero'],
  ['https://[0:0:0:0:0:0:0:1]/client', 'an IPv6 address not compressed'],
  ['https://[2606:2800:021f::1]/client', 'an IPv6 address with a zero'],
  ['https://[2606:2800:21F::1]/client', 'an IPv6 address in upper case'],
  ['https://[::ffff:127.0.0.1]/client', 'IPv4 in an IPv6 address'],
  ['https://[fe80::1%25eth0]/client', 'a zone'],
  ['https://[fe80::1%eth0]/client', 'a zone, not escaped'],
]

/** The exception for development. */
const onThisMachine = [
  'http://127.0.0.1:1024/client.json',
  'http://127.0.0.1:65535/client.json',
  'http://[::1]:4000/client.json',
  'http://localhost:4000/client.json',
]
const neverAllowed = [
  'http://127.0.0.1/client.json',
  'http://127.0.0.1:80/client.json',
  'http://127.0.0.1:1023/client.json',
  'http://localhost:22/client.json',
  'http://[::1]:443/client.json',
  'http://127.0.0.2:4000/client.json',
  'http://127.1:4000/client.json',
  'http://0.0.0.0:4000/client.json',
  'http://[::]:4000/client.json',
  'http://[::ffff:7f00:1]:4000/client.json',
  'http://10.0.0.1:4000/client.json',
  'http://notes.localhost:4000/client.json',
  'http://localhost.:4000/client.json',
  'http://localhost.example:4000/client.json',
  'http://notes.example:4000/client.json',
  'http://127.0.0.1:4000/',
  'http://127.0.0.1:4000/client?a',
  'http://ada@127.0.0.1:4000/client',
  'http://127.0.0.1:4000@notes.example/client',
  'https://localhost:4000/client.json',
]

describe('an id', () => {
  test.each(allowed)('%s starts a fetch', async (id, asked) => {
    const reader = openReader(production)
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'failed' })
    expect([...reader.lookups, ...reader.connections]).toEqual([asked])
  })

  test.each(refused)('%j is refused, without a lookup or a connection: %s', async (id) => {
    for (const options of [production, development]) {
      const reader = openReader(options)
      expect(await reader.readOnce(id)).toEqual({ kind: 'refused', reason: expect.any(String) })
      expect([reader.lookups, reader.connections]).toEqual([[], []])
    }
  })

  test.each(onThisMachine)(
    '%s starts a fetch with an issuer on loopback, and is refused with other issuers',
    async (id) => {
      const reader = openReader({ ...development, names: { localhost: ['127.0.0.1'] }, port: 1 })
      expect(await reader.readOnce(id)).toMatchObject({ kind: 'failed' })
      expect(reader.connections).toHaveLength(1)
      for (const issuer of ['https://login.example', 'https://127.0.0.1:3000', 'http://login.example']) {
        const strict = openReader({ issuer })
        expect(await strict.readOnce(id)).toMatchObject({ kind: 'refused' })
        expect([strict.lookups, strict.connections]).toEqual([[], []])
      }
    },
  )

  test.each(neverAllowed)('%s is refused with every issuer, without a lookup or a connection', async (id) => {
    for (const options of [production, development]) {
      const reader = openReader(options)
      expect(await reader.readOnce(id)).toMatchObject({ kind: 'refused' })
      expect([reader.lookups, reader.connections]).toEqual([[], []])
    }
  })

  test.each([undefined, null, 1, {}, ['https://notes.example/client']])(
    '%j is refused, without a lookup',
    async (id) => {
      const reader = openReader(production)
      expect(await reader.readOnce(id as unknown as string)).toMatchObject({ kind: 'refused' })
      expect(reader.lookups).toEqual([])
    },
  )
})

describe('the lists of hosts', () => {
  test.each([
    [['notes.example'], [], 'https://notes.example/client', true],
    [['notes.example'], [], 'https://notes.example:8443/client', true],
    [['notes.example'], [], 'https://a.notes.example/client', false],
    [['notes.example'], [], 'https://evil.example/notes.example', false],
    [['notes.example'], [], 'https://notes.example.evil.example/client', false],
    [['notes.example'], [], 'https://evilnotes.example/client', false],
    [['*.notes.example'], [], 'https://a.notes.example/client', true],
    [['*.notes.example'], [], 'https://b.a.notes.example/client', true],
    [['*.notes.example'], [], 'https://notes.example/client', false],
    [['*.notes.example'], [], 'https://evilnotes.example/client', false],
    [['*.notes.example'], ['a.notes.example'], 'https://a.notes.example/client', false],
    [['*.notes.example'], ['a.notes.example'], 'https://b.notes.example/client', true],
    [[], [], 'https://notes.example/client', false],
    ['any', ['evil.example'], 'https://evil.example/client', false],
    ['any', ['evil.example'], 'https://evil.example:8443/client', false],
    ['any', ['evil.example'], 'https://evil.example./client', false],
    ['any', ['*.evil.example'], 'https://a.evil.example/client', false],
    ['any', ['*.evil.example'], 'https://evil.example/client', true],
    ['any', ['93.184.215.14'], 'https://93.184.215.14/client', false],
    ['any', ['[2606:2800::1]'], 'https://[2606:2800::1]/client', false],
  ] as const)('hosts from %j except %j: %s starts a fetch: %s', async (from, except, id, isAsked) => {
    const reader = openReader({ ...production, from, except })
    expect(await reader.readOnce(id)).toMatchObject({ kind: isAsked ? 'failed' : 'refused' })
    expect(reader.lookups.length + reader.connections.length).toBe(isAsked ? 1 : 0)
  })

  test('the list of hosts also applies to ids on loopback', async () => {
    const reader = openReader({ ...development, from: ['localhost', 'notes.example'], names: { localhost: ['::1'] } })
    expect(await reader.readOnce('http://localhost:1025/client')).toMatchObject({ kind: 'failed' })
    expect(await reader.readOnce('http://127.0.0.1:1025/client')).toMatchObject({ kind: 'refused' })
    expect(reader.connections).toEqual(['::1 1025'])
  })

  test.each([
    'all',
    undefined,
    null,
    {},
    'notes.example',
    [''],
    ['*'],
    ['*.'],
    ['https://notes.example'],
    ['notes.example/client'],
    ['notes.example:8443'],
    ['Notes.example'],
    ['notes.example.'],
    ['bücher.example'],
    ['no*es.example'],
    ['*.*.example'],
    ['127.1'],
    ['::1'],
    ['[0:0:0:0:0:0:0:1]'],
    [1],
  ])('a list of hosts from %j throws a TypeError with the name of the option', (from) => {
    const create = () => createMetadataClientReader({ ...production, now: Date.now, from: from as 'any' })
    expect(create).toThrow(TypeError)
    expect(create).toThrow('"metadataClients.from"')
    const except = () =>
      createMetadataClientReader({ ...production, now: Date.now, from: 'any', except: from as readonly string[] })
    if (from !== undefined) expect(except).toThrow('"metadataClients.except"')
  })
})
