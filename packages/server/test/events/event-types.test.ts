import { readFileSync } from 'node:fs'
import { auditedKinds } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { otherEvents, serverEvents } from '../support/event-table.ts'

const documents = new URL('../../../../docs/', import.meta.url)
const page = readFileSync(new URL('events.md', documents), 'utf8')
const audited = readFileSync(new URL('audited-decisions.md', documents), 'utf8')

/** The rows of a table of the page: type and details. */
function rowsBelow(heading: string): readonly [type: string, details: readonly string[]][] {
  const [, below = ''] = page.split(`\n## ${heading}\n`)
  return rowsIn(below.split('\n## ')[0] ?? '')
}

function rowsIn(text: string): readonly [type: string, details: readonly string[]][] {
  const lines = text.split('\n').filter((line) => line.startsWith('| `'))
  return lines.map((line) => {
    const [, type = '', details = ''] = line.split(/(?<!\\)\|/)
    return [codesOf(type)[0] ?? '', codesOf(details)]
  })
}

function codesOf(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

function rowsOf(table: Readonly<Record<string, object>>): readonly [string, readonly string[]][] {
  return Object.entries(table).map(([type, details]) => [type, Object.keys(details)])
}

describe('the table of events in the documents has', () => {
  test('every event of a server with its details, and no other event', () => {
    expect(new Map(rowsBelow('Events of a server'))).toEqual(new Map(rowsOf(serverEvents)))
  })

  test('every event of the packages that are used alone, and no other event', () => {
    expect(new Map(rowsBelow('Events of packages that are used alone'))).toEqual(new Map(rowsOf(otherEvents)))
  })
})

test('the documented table of audited kinds has every kind and no other', () => {
  const ofClients = [
    'client.created',
    'client.disabled',
    'client.secret-replaced',
    'client.blocked',
    'client.unblocked',
    'grant.given',
    'grant.revoked',
  ]
  const ofService = ['key.rotated', 'key.replaced', 'token.revoked', 'mcp.called', ...ofClients]
  const kinds = rowsIn(audited).map(([kind]) => kind)
  expect([...kinds].sort()).toEqual([...Object.keys(auditedKinds), ...ofService].sort())
})

test.each(Object.keys({ ...serverEvents, ...otherEvents }))('%s consists of a noun and a past participle', (type) => {
  expect(type).toMatch(/^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/)
})

test('every event of a server has all facts, and the details of its type', async () => {
  const { signedIn, visitor, events, server } = createBench()
  const owner = await signedIn()
  await owner.ask('{ secretPlan }')
  await visitor().ask('{ viewer { id } }')
  await visitor().signIn(owner.account.email, 'otters sing loudly at noon')
  await visitor().signIn(owner.account.email, password, 'TOKEN')
  await visitor().post('/verify', { token: 'x' })
  await visitor().ask('mutation { requestPasswordReset(input: { email: "nobody@example.com" }) }')
  await server.rotateKeys()
  await owner.ask('mutation { signOut }')
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(7)
  for (const event of events) {
    const facts = ['type', 'at', 'accountId', 'sessionKey', 'address', 'device', 'requestId', 'durationMs']
    expect(Object.getOwnPropertyNames(event).sort()).toEqual(
      [...facts, ...Object.keys(serverEvents[event.type])].sort(),
    )
    expect(Object.values(event)).not.toContain(undefined)
  }
})
