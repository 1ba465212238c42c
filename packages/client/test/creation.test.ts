import { createAuthClient } from '@latchkey/client'
import { createOAuthClient } from '@latchkey/client/oauth'
import { createServerAuth } from '@latchkey/client/server'
import { withoutPlatform } from '@latchkey/test-services'
import { expect, test } from 'vitest'

const fetch = () => Promise.reject(new Error('nothing is fetched'))

test.each([
  ['createAuthClient', () => createAuthClient({ fetch })],
  ['createAuthClient with tokens', () => createAuthClient({ fetch, delivery: 'token' })],
  [
    'createOAuthClient',
    () =>
      createOAuthClient({
        issuer: 'https://id.example.com',
        clientId: 'app',
        redirectUri: 'https://app.example.com/callback',
        fetch,
      }),
  ],
  ['createServerAuth', () => createServerAuth({ url: 'https://id.example.com/graphql', fetch })],
])('%s uses no random bytes, timers or connections', (_name, create) => {
  expect(withoutPlatform((): unknown => create())).toBeDefined()
})
