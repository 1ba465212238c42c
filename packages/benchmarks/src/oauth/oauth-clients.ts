/** The clients of both servers. */
export const client = {
  id: 'web',
  secret: 'a secret of the client web',
  redirectUri: 'https://rp.example.com/callback',
}
export const machine = { id: 'machine', secret: 'a secret of the client machine' }
