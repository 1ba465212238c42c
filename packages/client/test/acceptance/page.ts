import { createAuthClient } from '@latchkey/client'
import { createOAuthClient } from '@latchkey/client/oauth'
import { useAuth } from '@latchkey/client/react'
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

// The script of the pages that stage.ts serves.

type Auth = Parameters<typeof useAuth>[0]

function Status({ auth }: { readonly auth: Auth }): string {
  return useAuth(auth).status
}

/** Renders who is signed in, as an application in development does. */
function render(auth: Auth): void {
  const root = document.body.appendChild(document.createElement('main'))
  createRoot(root).render(createElement(StrictMode, null, createElement(Status, { auth })))
}

Object.assign(globalThis, { createAuthClient, createOAuthClient, render })
