import { serverAudits } from 'graphql-http'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createVisitor } from './support/visitor.ts'

const audits = serverAudits({ url: 'http://unused.invalid/graphql' })

describe('the running service passes the GraphQL-over-HTTP audits', () => {
  const url = inject('quickstartUrl')
  let token: string

  beforeAll(async () => {
    const author = createVisitor(url)
    await author.signIn('author@example.com', 'TOKEN')
    token = author.bearer ?? ''
  })

  const auditNamed = (id: string, headers: Record<string, string>) => {
    const fetchFn = (input: RequestInfo, init: RequestInit = {}) =>
      fetch(input, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } })
    return serverAudits({ url: `${url}/graphql`, fetchFn }).find((audit) => audit.id === id)
  }

  test('all 61 of them are run', () => {
    expect(audits).toHaveLength(61)
  })

  describe.each([
    ['anonymous', () => ({})],
    ['with a token', () => ({ authorization: `Bearer ${token}` })],
  ] as const)('%s', (_who, headers) => {
    test.each(audits.map(({ id, name }) => [id, name]))('%s %s', async (id) => {
      expect(await auditNamed(id, headers())?.fn()).toMatchObject({ status: 'ok' })
    })
  })
})
