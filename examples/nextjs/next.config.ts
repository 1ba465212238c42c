import type { NextConfig } from 'next'

const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:4000'

const config: NextConfig = {
  // What the application has no page for is the service's: /graphql, /sign-in, /account and its other pages.
  rewrites: async () => ({
    beforeFiles: [],
    afterFiles: [],
    fallback: [{ source: '/:path*', destination: `${service}/:path*` }],
  }),
}

export default config
