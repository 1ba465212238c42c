import { SignJWT } from 'jose/jwt/sign'
import { openid } from './openid.ts'
import type { OpenIdProvider } from './provider.ts'

const issuer = 'https://appleid.apple.com'

/** The lifetime of a secret, which is created for a single request. Apple allows six months. */
const secretSeconds = 300

/** https://developer.apple.com/documentation/signinwithapplerestapi */
export function apple({ teamId }: { readonly teamId: string }): OpenIdProvider {
  return {
    ...openid({ issuer, name: 'apple', idTokenAlgorithms: ['RS256'] }),
    // With name or email it answers by `form_post` only: …/signinwithapplejs/incorporating_sign_in_with_apple_into_other_platforms
    scopes: ['openid', 'name', 'email'],
    responseMode: 'form_post',
    // A JWT signed with ES256: …/accountorganizationaldatasharing/creating-a-client-secret
    clientSecretOf: (input) => signSecret(teamId, input),
    clientSecretIn: 'form',
    // A refresh token comes with every code, and there is no scope for it: …/signinwithapplerestapi/tokenresponse
    offline: {},
    // A text in some tokens: …/signinwithapple/authenticating-users-with-sign-in-with-apple
    isEmailVerified: ({ email_verified }) => email_verified === true || email_verified === 'true',
    // …/signinwithapplejs/incorporating_sign_in_with_apple_into_other_platforms: “the user_cancelled_authorize error”
    errorCodes: { user_cancelled_authorize: 'access_denied' },
  }
}

function signSecret(
  teamId: string,
  { clientId, privateKey, now }: Parameters<NonNullable<OpenIdProvider['clientSecretOf']>>[0],
): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: privateKey.id })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + secretSeconds)
    .sign(privateKey.key)
}
