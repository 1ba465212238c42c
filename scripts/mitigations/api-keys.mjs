// What stands against leaked and guessed API keys.

const against = 'Leaked API keys'
const atGraphql = 'packages/server/test/api-keys/keys-at-graphql.test.ts'

export const apiKeys = [
  {
    name: 'api-key-secret',
    against,
    what: 'a hashed secret, compared in constant time',
    file: 'packages/accounts/src/use-cases/api-keys/find-api-key.ts',
    from: 'digest && isSha256Of(digest, secret) ? found : null',
    to: 'digest ? found : null',
    test: 'packages/accounts/test/api-keys/api-keys.test.ts',
    title: 'a key with a known id and another secret is unknown',
  },
  {
    name: 'api-key-owner',
    against,
    what: 'no field that is its owner’s alone',
    file: 'packages/graphql/src/rules/decide-rule.ts',
    from: "    if (identity.apiKey !== null && rules.some(isKeptFromKeys)) return 'api-key'\n",
    to: '',
    test: atGraphql,
    title: 'is refused { apiKeys { id } } by its reason and without a challenge, and nothing changes',
    written: 'is refused %s by its reason and without a challenge, and nothing changes',
  },
  {
    name: 'api-key-endpoint',
    against,
    what: 'the endpoint alone takes a key',
    file: 'packages/server/src/service/identity-readers.ts',
    from: 'takesKeys(request) ? readKey(token, request) : null',
    to: 'readKey(token, request)',
    test: atGraphql,
    title: 'is ignored in the query, the body, a cookie and as DPoP, at other endpoints and on pages',
  },
  {
    name: 'api-key-ends',
    against,
    what: 'a change of the password revokes all keys',
    file: 'packages/accounts/src/use-cases/change-password.ts',
    from: '[removeApiKeys(context.documents, changed.id)]',
    to: '[]',
    test: 'packages/accounts/test/api-keys/ended-keys.test.ts',
    title: 'an API key created during a change of the password is not accepted afterwards',
    written: 'an API key created during %s is not accepted afterwards',
  },
]
