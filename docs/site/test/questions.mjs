// Questions of newcomers and the pages that answer them. The search must find one of these pages among its first three
// results, or as its first result with a 1, and the table of contents must have a line with all words of the question.
export const questions = [
  ['session lifetime', ['/server/deliveries', '/server/options', '/reference/options/create-server-sessions']],
  ['Google sign-in', ['/guides/sign-in-with-a-provider', '/server/providers']],
  ['second factor for administrators', ['/guides/second-factor-for-administrators']],
  ['testing resolvers signed in', ['/guides/testing-your-service', '/server/testing']],
  ['nginx', ['/guides/behind-a-proxy', '/guides/deploy']],
  ['rotating keys', ['/server/access-tokens', '/jwt/keys']],
  ['list of error codes', ['/reference/error-codes']],
  ['headers a single-page app must send', ['/guides/single-page-app-headers']],
  ['headers of scripts', ['/server/deliveries']],
  ['a policy for a field', ['/guides/rule-for-a-field']],
  ['a custom claim', ['/server/access-tokens']],
  ['Apollo Server', ['/guides/existing-schema']],
  ['upgrading', ['/guides/upgrading']],
  ['Docker', ['/guides/deploy']],
  ['more fields at sign-up', ['/guides/what-is-not-offered']],
  ['the account of an id in a resolver', ['/server/resolvers']],
  ['Apollo Server plugin', ['/guides/existing-schema', '/examples/apollo-server/'], 1],
  ['Pothos permissions', ['/guides/existing-schema', '/examples/pothos/'], 1],
  ['NestJS guard', ['/guides/existing-schema', '/examples/nestjs/'], 1],
  ['sessions in Express', ['/guides/sessions-in-your-own-server', '/examples/express-sessions/'], 1],
]
