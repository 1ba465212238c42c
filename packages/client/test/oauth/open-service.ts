import { createAuthorizationServer, type FixedClient } from '@latchkey/oauth/server'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import { onTestFinished } from 'vitest'
import { createNoteService } from '../support/note-service.ts'

/** A service in this process, whose client `shop` is answered at `callback`, until the test is over. */
export async function openService(
  baseUrl: string,
  callback: string,
  writes: { count: number } = { count: 0 },
): Promise<TestServer> {
  const service = await createTestServer(
    createNoteService({
      baseUrl,
      writes,
      http: { corsOrigins: [new URL(callback).origin] },
      oauth: (parts) => createAuthorizationServer({ ...parts, fixedClients: [shop(callback)] }),
    }),
  )
  onTestFinished(() => service.close())
  return service
}

function shop(callback: string): FixedClient {
  return {
    id: 'shop',
    name: 'Shop',
    authentication: ['none'],
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [callback],
    firstParty: true,
    scopes: ['openid', 'profile', 'email', 'online_access', 'notes:write'],
  }
}
