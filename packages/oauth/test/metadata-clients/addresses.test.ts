import { describe, expect, test } from 'vitest'
import { openReader } from './support/open-reader.ts'

/** First, inside, last, of each range of the IANA Special-Purpose Address Registries, and of what else is not public. */
const special: readonly (readonly [range: string, ...addresses: readonly string[]])[] = [
  ['0.0.0.0/8, this network', '0.0.0.0', '0.0.0.1', '0.255.255.255'],
  ['10.0.0.0/8, private use', '10.0.0.0', '10.1.2.3', '10.255.255.255'],
  ['100.64.0.0/10, shared address space', '100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ['127.0.0.0/8, loopback', '127.0.0.0', '127.0.0.1', '127.255.255.255'],
  ['169.254.0.0/16, link local', '169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ['172.16.0.0/12, private use', '172.16.0.0', '172.20.0.1', '172.31.255.255'],
  ['192.0.0.0/24, protocol assignments', '192.0.0.0', '192.0.0.9', '192.0.0.192', '192.0.0.255'],
  ['192.0.2.0/24, documentation', '192.0.2.0', '192.0.2.1', '192.0.2.255'],
  ['192.31.196.0/24, AS112', '192.31.196.0', '192.31.196.1', '192.31.196.255'],
  ['192.52.193.0/24, AMT', '192.52.193.0', '192.52.193.1', '192.52.193.255'],
  ['192.88.99.0/24, relays of 6to4', '192.88.99.0', '192.88.99.1', '192.88.99.255'],
  ['192.168.0.0/16, private use', '192.168.0.0', '192.168.1.1', '192.168.255.255'],
  ['192.175.48.0/24, AS112', '192.175.48.0', '192.175.48.6', '192.175.48.255'],
  ['198.18.0.0/15, benchmarking', '198.18.0.0', '198.19.0.1', '198.19.255.255'],
  ['198.51.100.0/24, documentation', '198.51.100.0', '198.51.100.7', '198.51.100.255'],
  ['203.0.113.0/24, documentation', '203.0.113.0', '203.0.113.7', '203.0.113.255'],
  ['224.0.0.0/4, multicast', '224.0.0.0', '233.252.0.1', '239.255.255.255'],
  ['240.0.0.0/4, reserved', '240.0.0.0', '250.0.0.1', '255.255.255.254', '255.255.255.255'],
  ['168.63.129.16, the host of Azure', '168.63.129.16'],
  ['::/96, unspecified and IPv4-compatible', '::', '::7f00:1', '::5db8:d70e', '::ffff:ffff'],
  ['::1, loopback', '::1'],
  [
    '::ffff:0:0/96, IPv4-mapped',
    '::ffff:0:0',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::ffff:5db8:d70e',
    '::ffff:ffff:ffff',
  ],
  ['::ffff:0:0:0/96, IPv4-translated', '::ffff:0:0:0', '::ffff:0:7f00:1', '::ffff:0:ffff:ffff'],
  ['64:ff9b::/96, NAT64', '64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::5db8:d70e', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::/48, local NAT64', '64:ff9b:1::', '64:ff9b:1::1', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64, discard', '100::', '100::1', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64, dummy', '100:0:0:1::', '100:0:0:1::1', '100::1:ffff:ffff:ffff:ffff'],
  ['2001::/32, Teredo', '2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:1::/32, anycast of PCP, TURN and SRP', '2001:1::1', '2001:1::2', '2001:1::3'],
  ['2001:2::/48, benchmarking', '2001:2::', '2001:2::1', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['2001:3::/32, AMT', '2001:3::', '2001:3::1', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:4:112::/48, AS112', '2001:4:112::', '2001:4:112::1', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
  ['2001:10::/28, ORCHID', '2001:10::', '2001:1f::1', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:20::/28, ORCHIDv2', '2001:20::', '2001:2f::1', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:30::/28, drone remote ids', '2001:30::', '2001:3f::1', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::/23, protocol assignments', '2001:100::1', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32, documentation', '2001:db8::', '2001:db8::1', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::/16, 6to4', '2002::', '2002:7f00:1::1', '2002:5db8:d70e::1', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8000::/48, AS112', '2620:4f:8000::', '2620:4f:8000::1', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::/20, documentation', '3fff::', '3fff:1::1', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16, segment routing', '5f00::', '5f00::1', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7, unique local', 'fc00::', 'fd00:ec2::254', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::/10, link local', 'fe80::', 'fe80::1', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10, site local', 'fec0::', 'fec0::1', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8, multicast', 'ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['not allocated', '1::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', '8000::1', 'e000::1'],
]

/** The neighbours of those ranges, and others. */
const reachable = [
  ...['1.0.0.0', '1.1.1.1', '9.255.255.255', '11.0.0.0', '93.184.215.14', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0'],
  ...['172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.31.195.255', '192.31.197.0'],
  ...['192.52.192.255', '192.52.194.0', '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0'],
  ...['192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0'],
  ...['203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...['2000::', '2001:200::', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::', '2001:4860:4860::8888', '2003::'],
  ...['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '2620:4f:7fff::1', '2620:4f:8001::', '3ffe:ffff::1', '3fff:1000::'],
]

/** Spellings in which a name server, or what stands for one, could hide an address. */
const spellings = [
  ...['127.0.0.1 ', ' 127.0.0.1', '127.0.0.1\n', '127.0.0.1\u0000', '127.1', '127.0.1', '0177.0.0.1', '0x7f.0.0.1'],
  ...['2130706433', '0x7f000001', '017700000001', '127.0.0.01', '127.0.0.1.', '127.0.0.1:80', '127.0.0.1/8', '①.1.1.1'],
  ...[
    '1.1.1',
    '1.1.1.256',
    '1.1.1.1.1',
    '-1.1.1.1',
    '+1.1.1.1',
    '1e1.1.1.1',
    '1.1.1.1e0',
    '',
    ' ',
    'localhost',
    'a.example',
  ],
  ...[
    '0:0:0:0:0:0:0:1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '::0001',
    '0::1',
    '::0.0.0.1',
    '[::1]',
    '::1%lo',
    '::1%1',
  ],
  ...[
    '::FFFF:127.0.0.1',
    '::ffff:127.0.0.1',
    '0:0:0:0:0:ffff:7f00:1',
    '::ffff:0x7f.1',
    '::ffff:127.1',
    '::ffff:1.1.1.1',
  ],
  ...[
    '0000:0000:0000:0000:0000:FFFF:0101:0101',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:FF9B::1.1.1.1',
  ],
  ...[
    '0064:ff9b:0000::1.1.1.1',
    '64:ff9b:1::10.0.0.1',
    '2002:7F00:0001::',
    'FE80::1',
    'fe80::1%eth0',
    '2606:2800::1%eth0',
  ],
  ...[
    'FD00::1',
    'Fe80:0:0:0:0:0:0:1',
    '2606:2800::1::1',
    '2606:2800::1/64',
    '2606:2800:::1',
    '12606::1',
    '2606::g',
    ':::',
    ':',
  ],
  ...[
    '2606:2800::127.0.0.256',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '2606:1:2:3:4:5:6:7::',
    '2606:2800::1 ',
    '2606:2800::\u0661',
  ],
]

const rows = special.flatMap(([range, ...addresses]) => addresses.map((address) => [address, range] as const))
const id = 'https://notes.example/client.json'

describe('the address of a name', () => {
  test.each(rows)('%s is refused, without a connection: %s', async (address) => {
    const reader = openReader({ names: { 'notes.example': [address] } })
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'refused' })
    expect([reader.lookups, reader.connections]).toEqual([['notes.example'], []])
  })

  test.each(spellings)('%j is refused, without a connection', async (address) => {
    const reader = openReader({ names: { 'notes.example': [address] } })
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'refused' })
    expect(reader.connections).toEqual([])
  })

  test.each(reachable)('%s gets the connection', async (address) => {
    const reader = openReader({ names: { 'notes.example': [address] } })
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'failed' })
    expect(reader.connections).toEqual([`${address} 443`])
  })
})

describe('an id with an address for a host', () => {
  const literal = (address: string) => (address.includes(':') ? `[${address}]` : address)

  test.each(rows)('%s is refused, without a lookup or a connection: %s', async (address) => {
    const reader = openReader()
    expect(await reader.readOnce(`https://${literal(address)}/client`)).toMatchObject({ kind: 'refused' })
    expect([reader.lookups, reader.connections]).toEqual([[], []])
  })

  test.each(reachable)('%s gets the connection', async (address) => {
    const reader = openReader()
    expect(await reader.readOnce(`https://${literal(address)}/client`)).toMatchObject({ kind: 'failed' })
    expect([reader.lookups, reader.connections]).toEqual([[], [`${address} 443`]])
  })
})

describe('the address of localhost, with an issuer on loopback', () => {
  const development = { issuer: 'http://localhost:3000' }

  test.each(['127.0.0.1', '127.0.0.0', '127.255.255.255', '::1'])('%s gets the connection', async (address) => {
    const reader = openReader({ ...development, names: { localhost: [address] }, port: 1 })
    expect(await reader.readOnce('http://localhost:4000/client')).toMatchObject({ kind: 'failed' })
    expect(reader.connections).toEqual([`${address} 4000`])
  })

  test.each([
    '126.255.255.255',
    '128.0.0.0',
    '10.0.0.1',
    '0.0.0.0',
    '93.184.215.14',
    '::',
    '::2',
    '::ffff:7f00:1',
    '127.1',
  ])('%s is refused, without a connection', async (address) => {
    const reader = openReader({ ...development, names: { localhost: ['127.0.0.1', address] } })
    expect(await reader.readOnce('http://localhost:4000/client')).toMatchObject({ kind: 'refused' })
    expect(reader.connections).toEqual([])
  })

  test('127.0.0.1 is refused for the name of an https id', async () => {
    const reader = openReader({ ...development, names: { 'notes.example': ['127.0.0.1'] } })
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'refused' })
    expect(reader.connections).toEqual([])
  })
})
