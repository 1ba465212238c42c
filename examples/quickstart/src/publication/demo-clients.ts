import { readFileSync } from 'node:fs'
import type { FixedClient } from '@latchkey/oauth/server'

/** The permissions that a client may request from its user, in addition to the scopes of OpenID Connect. */
export const clientPermissions = [
  'articles:read',
  'comments:create',
  'articles:create',
  'articles:update',
  'articles:delete',
  'articles:publish',
  'comments:delete',
  'accounts:read',
] as const

/** The words of the consent page for each permission. */
export const permissionWords: Readonly<Record<(typeof clientPermissions)[number], string>> = {
  'articles:read': 'Read articles, and your drafts',
  'comments:create': 'Write comments, and delete those of yours',
  'articles:create': 'Create articles',
  'articles:update': 'Change your articles',
  'articles:delete': 'Delete your articles',
  'articles:publish': 'Publish articles, and read all drafts',
  'comments:delete': 'Delete comments of others',
  'accounts:read': 'See who has an account',
}

/** The scopes that an unregistered client may request from its user. */
export const metadataScopes = [
  ...['openid', 'profile', 'email', 'offline_access'],
  ...['articles:read', 'comments:create', 'articles:create', 'articles:update', 'articles:delete'],
]

const scopes = ['openid', 'profile', 'email', 'offline_access', ...clientPermissions]
const browserScopes = [...scopes, 'online_access']
const authorizationCode = ['authorization_code', 'refresh_token'] as const
const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code'

/** Clients to try the authorization server with. Their secrets are public: production does not know them. */
export function createDemoClients(): readonly FixedClient[] {
  return [
    {
      id: 'demo-spa',
      name: 'Demo page',
      authentication: ['none'],
      grantTypes: authorizationCode,
      redirectUris: ['http://127.0.0.1:4001/callback'],
      postLogoutRedirectUris: ['http://127.0.0.1:4001/'],
      scopes: browserScopes,
    },
    {
      id: 'demo-app',
      name: 'Demo front end',
      authentication: ['none'],
      grantTypes: authorizationCode,
      redirectUris: ['http://127.0.0.1:4003/callback'],
      postLogoutRedirectUris: ['http://127.0.0.1:4003/'],
      scopes: browserScopes,
      firstParty: true,
    },
    {
      id: 'demo-web',
      name: 'Demo website',
      authentication: ['client_secret_basic', 'client_secret_post'],
      secret: 'demo-web-secret',
      grantTypes: authorizationCode,
      redirectUris: ['http://127.0.0.1:4002/callback'],
      postLogoutRedirectUris: ['http://127.0.0.1:4002/'],
      scopes: browserScopes,
    },
    {
      id: 'demo-native',
      name: 'Demo application',
      kind: 'native',
      authentication: ['none'],
      grantTypes: authorizationCode,
      redirectUris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      scopes: browserScopes,
    },
    {
      id: 'demo-device',
      name: 'Demo device',
      kind: 'native',
      authentication: ['none'],
      grantTypes: [deviceCode, 'refresh_token'],
      scopes,
    },
    {
      id: 'demo-machine',
      name: 'Demo machine',
      authentication: ['client_secret_basic', 'client_secret_post'],
      secret: 'demo-machine-secret',
      scopes: ['articles:read'],
    },
    {
      id: 'demo-signed',
      name: 'Demo machine with a key',
      authentication: ['private_key_jwt'],
      jwks: { keys: [readPublicKey()] },
      scopes: ['articles:read'],
    },
  ]
}

/** The file has the private key as well, to try the client with. */
function readPublicKey(): Readonly<Record<string, string>> {
  const file = new URL('../../demo-signed.jwk.json', import.meta.url)
  const { d: _private, ...publicKey } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  return publicKey
}
