const {
  DATABASE_URL = 'postgres://latchkey:latchkey@127.0.0.1:5432/latchkey',
  REDIS_URL = 'redis://127.0.0.1:6379',
  PUBLIC_URL = 'http://127.0.0.1:8080',
  PORTS = '4001,4002,4003,4004',
} = process.env

/** The variables of the environment. `publicUrl` is the address of nginx, and `ports` are the ports in nginx.conf. */
export const settings = {
  databaseUrl: DATABASE_URL,
  redisUrl: REDIS_URL,
  publicUrl: PUBLIC_URL,
  ports: PORTS.split(','),
}
