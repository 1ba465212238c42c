import { connect, type Socket } from 'node:net'
import { createMetadataClientReader } from '@latchkey/oauth/internal'
import { describe, expect, test } from 'vitest'
import { openNameServer } from './support/open-name-server.ts'

const id = 'https://notes.example/client.json'

/** A reader that asks name servers as it does in production, and whose connections end. */
const open = (issuer = 'https://login.example') => {
  const connections: string[] = []
  const ended = (): Socket => connect({ host: '127.0.0.1', port: 1 }).destroy()
  const reader = createMetadataClientReader({
    from: 'any',
    issuer,
    now: Date.now,
    connect: ({ address }) => {
      connections.push(address)
      return ended()
    },
  })
  return { connections, read: (of: string) => reader.read(of, { address: undefined }) }
}

describe('name servers', () => {
  test.each([
    ['one public address', [['A', '93.184.215.14']], ['93.184.215.14']],
    [
      'public addresses of both kinds, IPv4 first',
      [
        ['AAAA', '2606:2800:0:0:0:0:0:1'],
        ['A', '93.184.215.14'],
      ],
      ['93.184.215.14', '2606:2800::1'],
    ],
    ['an IPv6 address alone', [['AAAA', '2606:2800:0:0:0:0:0:1']], ['2606:2800::1']],
    [
      'another name with a public address',
      [
        ['CNAME', 'cdn.example'],
        ['A', '93.184.215.14'],
      ],
      ['93.184.215.14'],
    ],
  ] as const)('an answer of %s leads to a connection', async (_what, records, connections) => {
    const server = await openNameServer({ 'notes.example': records })
    const reader = open()
    expect(await reader.read(id)).toMatchObject({ kind: 'failed' })
    expect(reader.connections).toEqual(connections)
    expect([...server.questions].sort()).toEqual(['A notes.example', 'AAAA notes.example'])
    await server.close()
  })

  test.each([
    ['a private address', [['A', '10.0.0.1']]],
    [
      'a private address among public ones',
      [
        ['A', '93.184.215.14'],
        ['A', '169.254.169.254'],
      ],
    ],
    [
      'a private IPv6 address beside a public IPv4 address',
      [
        ['A', '93.184.215.14'],
        ['AAAA', '0:0:0:0:0:0:0:1'],
      ],
    ],
    [
      'a mapped IPv4 address',
      [
        ['A', '93.184.215.14'],
        ['AAAA', '0:0:0:0:0:ffff:5db8:d70e'],
      ],
    ],
    [
      'another name with a private address',
      [
        ['CNAME', 'intranet.example'],
        ['A', '192.168.0.1'],
      ],
    ],
    ['65 public addresses', Array.from({ length: 65 }, (_, index) => ['A', `93.184.215.${index}`] as const)],
  ] as const)('an answer of %s is refused, without a connection', async (_what, records) => {
    const server = await openNameServer({ 'notes.example': records })
    const reader = open()
    expect(await reader.read(id)).toMatchObject({ kind: 'refused' })
    expect(reader.connections).toEqual([])
    await server.close()
  })

  test('a name without an answer fails', async () => {
    const server = await openNameServer({})
    const reader = open()
    expect(await reader.read(id)).toMatchObject({ kind: 'failed' })
    expect(reader.connections).toEqual([])
    await server.close()
  })

  test('localhost has loopback addresses without a question', async () => {
    const server = await openNameServer({ localhost: [['A', '93.184.215.14']] })
    const reader = open('http://localhost:3000')
    expect(await reader.read('http://localhost:4000/client.json')).toMatchObject({ kind: 'failed' })
    expect(reader.connections).toEqual(['127.0.0.1', '::1'])
    expect(server.questions).toEqual([])
    await server.close()
  })
})
