import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = 'http://127.0.0.1:4000'
const pages =
  '^/(sign-|second-factor|step-up|confirm-|undo-|reset|verify|passkey|account|device|impersonation|consent|graphiql)'

/** The page and the service share the origin http://localhost:5173. */
export default defineConfig({
  plugins: [react()],
  server: {
    strictPort: true,
    proxy: { '/graphql': { target: service, ws: true }, [pages]: { target: service } },
  },
})
