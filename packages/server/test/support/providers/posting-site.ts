import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomBytes } from '@latchkey/bytes'
import { escapeHtml } from '@latchkey/http'
import { providers } from '@latchkey/oauth/client'
import { onTestFinished } from 'vitest'
import { type BenchOptions, createMemoryStores } from '../bench.ts'
import { openSiteAt, type Site } from '../browser.ts'
import { createFakeProvider } from './fake-provider.ts'

/**
 * A service whose provider answers as Apple does: a page of its own site posts code, state and the name of the user to the redirect
 * URI, which makes the browser send no `Lax` cookie
 * (https://developer.apple.com/documentation/signinwithapplerestapi/request-an-authorization-to-the-sign-in-with-apple-server).
 */
export async function openPostingSite(options: BenchOptions['options'] = {}): Promise<Site> {
  let page = (_address: string): string => ''
  const http = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(page(request.url ?? '/'))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  })
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return openSiteAt('localhost', (baseUrl) => {
    const clock = { time: 1_800_000_000_000 }
    const stores = createMemoryStores(() => clock.time)
    const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
    const { clientSecretOf: _signed, ...apple } = providers.apple({ teamId: 'TEAM123456' })
    const fake = createFakeProvider({
      name: 'apple',
      issuer,
      baseUrl,
      records: stores.records,
      secrets,
      now: () => clock.time,
      provider: { ...apple, issuer, idTokenAlgorithms: ['ES256'] },
    })
    fake.claims = { email: 'ada@privaterelay.example', email_verified: 'true', name: undefined, auth_time: undefined }
    page = (address) => {
      const answer = fake.authorize(`${issuer}${address}`)
      const user = { name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'ada@privaterelay.example' }
      return postingPage(answer, { ...Object.fromEntries(answer.searchParams), user: JSON.stringify(user) })
    }
    const given = { clients: { apple: fake.client }, newAccounts: 'verified-email' } as const
    return {
      beside: { clock, stores, secrets, outbox: [] },
      options: { ...options, signIn: { ...options.signIn, providers: given } },
    }
  })
}

function postingPage({ origin, pathname }: URL, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  )
  return `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Apple</title>
<form method="post" action="${origin}${pathname}">${inputs.join('')}<button>Continue</button></form>`
}
