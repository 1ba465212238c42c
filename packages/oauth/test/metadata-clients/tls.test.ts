import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificateOfAnother, certificateOfThisMachine, testAuthority } from '@latchkey/test-services/mail-server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openReader } from './support/open-reader.ts'
import { documentOf, http, openSite, type Site } from './support/open-site.ts'

/** What the certificate of this site is of. */
const id = 'https://mail.example/client.json'
const publicAddress = '93.184.215.14'
const names = { 'mail.example': [publicAddress], 'notes.example': [publicAddress] }
const failed = { kind: 'failed', reason: expect.any(String) }
const trusted = getCACertificates('default')
let site: Site
let servernames: (string | false | null)[] = []

beforeAll(async () => {
  setDefaultCACertificates([...trusted, testAuthority])
  site = await openSite({
    tls: {
      ...certificateOfAnother,
      SNICallback: (name, use) => {
        servernames.push(name)
        use(null)
      },
    },
  })
})

beforeEach(() => void vi.spyOn(process, 'emitWarning').mockReturnValue())

afterEach(() => {
  servernames = []
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

afterAll(async () => {
  setDefaultCACertificates(trusted)
  await site.close()
})

describe('a site with TLS', () => {
  test('a document comes from the checked address, with the host of the id as server name', async () => {
    site.answer(http(documentOf(id)))
    const reader = openReader({ names, port: site.port })
    const before = site.requests.length
    expect(await reader.readOnce(id)).toMatchObject({ kind: 'client', client: { clientId: id } })
    expect(reader.lookups).toEqual(['mail.example'])
    expect(reader.connections).toEqual([`${publicAddress} 443`])
    expect(servernames).toEqual(['mail.example'])
    expect(site.requests.slice(before)).toEqual([expect.stringContaining('\r\nHost: mail.example\r\n')])
  })

  test('a document comes from the port of the id', async () => {
    const other = 'https://mail.example:8443/client.json'
    site.answer(http(documentOf(other)))
    const reader = openReader({ names, port: site.port })
    expect(await reader.readOnce(other)).toMatchObject({ kind: 'client' })
    expect(reader.connections).toEqual([`${publicAddress} 8443`])
    expect(site.requests.at(-1)).toContain('\r\nHost: mail.example:8443\r\n')
  })

  test.each([
    ['of another name', 'https://notes.example/client.json'],
    ['without its IPv4 address', `https://${publicAddress}/client.json`],
    ['without its IPv6 address', 'https://[2606:2800::1]/client.json'],
  ])('a site with a certificate %s gets no request', async (_of, other) => {
    site.answer(http(documentOf(other)))
    const before = site.requests.length
    for (const rejects of ['', '0']) {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', rejects)
      const reader = openReader({ names, port: site.port })
      expect(await reader.readOnce(other)).toEqual(failed)
      expect(reader.connections).toHaveLength(1)
    }
    expect(site.requests).toHaveLength(before)
  })

  test('a site with a certificate of an unknown authority gets no request', async () => {
    site.answer(http(documentOf(id)))
    setDefaultCACertificates(trusted)
    const before = site.requests.length
    for (const rejects of ['', '0']) {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', rejects)
      expect(await openReader({ names, port: site.port }).readOnce(id)).toEqual(failed)
    }
    setDefaultCACertificates([...trusted, testAuthority])
    expect(site.requests).toHaveLength(before)
  })

  test.each([
    ['no TLS', { refusesTls: true }],
    ['TLS 1.1', { tls: { ...certificateOfAnother, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } }],
    ['HTTP/2 alone', { tls: { ...certificateOfAnother, ALPNProtocols: ['h2'] } }],
    ['a certificate of this machine', { tls: certificateOfThisMachine }],
  ] as const)('a site with %s gets no request', async (_what, options) => {
    const other = await openSite(options)
    other.answer(http(documentOf(id)))
    expect(await openReader({ names, port: other.port }).readOnce(id)).toEqual(failed)
    expect(other.requests.filter((text) => text.startsWith('GET'))).toEqual([])
    await other.close()
  })

  test('a redirect to a private address gets no connection', async () => {
    site.answer(http('', { status: '302 Found', headers: { Location: 'https://169.254.169.254/client.json' } }))
    const reader = openReader({ names, port: site.port })
    expect(await reader.readOnce(id)).toEqual(failed)
    expect(reader.connections).toEqual([`${publicAddress} 443`])
  })
})
