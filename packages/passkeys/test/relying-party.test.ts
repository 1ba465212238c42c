import { createPasskeys, relatedOriginsDocument } from '@latchkey/passkeys'
import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { expect, test } from 'vitest'
import { ada, createBench } from './passkeys-bench.ts'

const party = { id: 'example.com', name: 'Example', origins: ['https://example.com'] } as const

test.each<[what: string, relyingParty: object]>([
  ['the domain itself', party],
  ['a domain below it, and a port', { ...party, origins: ['https://app.example.com:8443', 'https://example.com'] }],
  ['localhost in development', { ...party, id: 'localhost', origins: ['http://localhost:4000'] }],
  ['a domain below localhost', { ...party, id: 'localhost', origins: ['http://app.localhost:4000'] }],
])('a relying party has origins on its domain: %s', (_what, relyingParty) => {
  expect(() => createBench({ relyingParty: relyingParty as typeof party })).not.toThrow()
})

test.each<[message: string, relyingParty: unknown]>([
  ['"relyingParty" must be an object', undefined],
  ['"relyingParty" must be an object', 'example.com'],
  ['"relyingParty.id" must be a domain', { ...party, id: 'https://example.com' }],
  ['"relyingParty.id" must be a domain', { ...party, id: 'Example.com' }],
  ['"relyingParty.id" must be a domain', { ...party, id: 'com' }],
  ['"relyingParty.id" must be a domain', { ...party, id: '127.0.0.1' }],
  ['"relyingParty.id" must be a domain', { ...party, id: 'example.com.' }],
  ['"relyingParty.id" must be a domain', { ...party, id: 'example.com:443' }],
  ['"relyingParty.id" must be a domain', { ...party, id: 7 }],
  ['"relyingParty.name" must not be empty', { ...party, name: ' ' }],
  ['"relyingParty.origins" must be a list of origins with at least one', { ...party, origins: [] }],
  ['"relyingParty.origins" must be a list', { ...party, origins: 'https://example.com' }],
  ['"https://example.com/" is no origin', { ...party, origins: ['https://example.com/'] }],
  ['"http://example.com" is no origin', { ...party, origins: ['http://example.com'] }],
  ['"https://EXAMPLE.com" is no origin', { ...party, origins: ['https://EXAMPLE.com'] }],
  ['"null" is no origin', { ...party, origins: ['null'] }],
  ['https://example.org is not on example.com', { ...party, origins: ['https://example.org'] }],
  ['https://badexample.com is not on example.com', { ...party, origins: ['https://badexample.com'] }],
  ['"relyingParty.relatedOrigins": "example.de" is no origin', { ...party, relatedOrigins: ['example.de'] }],
  ['no option "relatedOrigin". Did you mean "relatedOrigins"?', { ...party, relatedOrigin: [] }],
])('no passkeys are created: %s', (message, relyingParty) => {
  const create = () => createBench({ relyingParty: relyingParty as typeof party })
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

test('a related origin uses the passkeys of the domain, and is listed for browsers', async () => {
  const relyingParty = { ...party, relatedOrigins: ['https://example.de'] } as const
  const { passkeys } = createBench({ relyingParty })
  const german = createSoftwareAuthenticator({ origin: 'https://example.de' })
  const { options } = await passkeys.startRegistration(ada)
  expect((await passkeys.finishRegistration(ada.id, await german.create(options), { name: 'Phone' })).ok).toBe(true)
  const begun = await passkeys.startSignIn()
  expect((await passkeys.finishSignIn(await german.get(begun.options))).ok).toBe(true)
  expect(relatedOriginsDocument(relyingParty)).toEqual({ origins: ['https://example.com', 'https://example.de'] })
  expect(passkeys.relatedOrigins).toEqual(relatedOriginsDocument(relyingParty))
})

test('without related origins, another domain is refused and there is no document', async () => {
  const { passkeys } = createBench()
  expect(passkeys.relatedOrigins).toBeNull()
  expect(createBench({ relyingParty: { ...party, relatedOrigins: [] } }).passkeys.relatedOrigins).toBeNull()
  const { options } = await passkeys.startRegistration(ada)
  const response = await createSoftwareAuthenticator({ origin: 'https://example.de' }).create(options)
  expect(await passkeys.finishRegistration(ada.id, response, { name: 'Phone' })).toEqual({
    ok: false,
    reason: 'origin',
  })
})

const options = {
  documents: createMemoryDocumentStore(),
  records: createMemoryRecordStore(),
  secrets: [{ id: '1', bytes: new Uint8Array(32) }],
  relyingParty: party,
}
const eventual = { ...options.records, capabilities: { ...options.records.capabilities, consistency: 'eventual' } }

test.each<[message: string, given: unknown]>([
  ['createPasskeys takes an object with "documents", "records", "secrets", "relyingParty"', undefined],
  ['createPasskeys has no option "algorithm". Did you mean "algorithms"?', { ...options, algorithm: 'ES256' }],
  ['"documents" must be a document store', { ...options, documents: undefined }],
  ['"records" must be a record store', { ...options, records: {} }],
  ['"records" must be strongly consistent', { ...options, records: eventual }],
  ['"secrets"', { ...options, secrets: [] }],
  ['"algorithms" must be a list of at least one of ES256, RS256, EdDSA', { ...options, algorithms: [] }],
  ['"algorithms" must be a list of at least one of ES256, RS256, EdDSA', { ...options, algorithms: ['toString'] }],
  ['"userVerification" must be required or preferred', { ...options, userVerification: 'discouraged' }],
  ['"challengeSeconds" must be a whole number of seconds from 30 to 600', { ...options, challengeSeconds: 0 }],
  ['"challengeSeconds" must be a whole number of seconds from 30 to 600', { ...options, challengeSeconds: 3600 }],
])('no passkeys are created with other options: %s', (message, given) => {
  const create = () => createPasskeys(given as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})
