import { createOAuthClient } from '@latchkey/client/oauth'

// The script of the pages that oauth-browser.test.ts opens.

const issuer = document.currentScript?.getAttribute('data-issuer') ?? ''

const auth = createOAuthClient({
  issuer,
  clientId: 'shop',
  redirectUri: `${location.origin}/callback`,
  scope: 'openid profile email online_access notes:write',
})
Object.assign(globalThis, { auth })
auth.subscribe(() => {})
