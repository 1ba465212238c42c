/**
 * How the credentials of a sign-in travel. `session`: a cookie. `token`: an access token in the body, the refresh token
 * in a cookie that scripts cannot read. `native`: both in the body, for apps without a browser (RFC 8252); off unless
 * allowed.
 */
export type Delivery = 'session' | 'token' | 'native'
