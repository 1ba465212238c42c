/// <reference types="vite/client" />
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { finishRedirect } from './data/auth.ts'
import { navigate } from './routing/navigate.ts'

const returnTo = await finishRedirect()
if (returnTo !== null) navigate(returnTo, { replaces: true })
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
