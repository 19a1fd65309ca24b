// Connections to engines. A request never waits for another one's connection: there is no cap and no
// queue. Idle connections are reused, the latest first, and closed before the engine's own limit.
import type net from 'node:net';
import { loopIdleNs, nowNs } from '../base/clock.ts';
import { UPSTREAM_IDLE_MAX_COUNT, UPSTREAM_KEEP_ALIVE_MS } from '../base/limits.ts';
import type { ConnectedEntry } from '../tape/entries.ts';
import { FloorWindow } from './floor-window.ts';
import { IdleConnections } from './idle-connections.ts';
import { Dialer, readOnAfterFailedWrite } from './open-socket.ts';
import { ReuseTrust } from './reuse-trust.ts';
import type { UpstreamTarget } from './settings.ts';

/** Who uses a connection at the moment. Nothing is called after `release` or `destroy`. */
export interface ConnectionUser {
  /** Whoever asks: what is kept is used again at once for the same one only. */
  readonly client: object;
  onConnected(): void;
  /** Bytes in a buffer that is used again after the call. False stops reading until `resume`. */
  onBytes(bytes: Buffer): boolean;
  onDrain(): void;
  /** The engine ended its side. */
  onEof(): void;
  /** The connection failed or closed; `code` is an errno or TLS code. */
  onFault(code: string): void;
}

export type ConnectionCost = Omit<ConnectedEntry, 'exchange' | 'atNs'>;

/** How late we may have seen the end of a handshake that still counts for the floor of `wire`. */
const HANDSHAKE_LATE_NS = 250_000;
const HANDSHAKE_LATE_RATIO = 0.1;

/** Most bytes of one read. */
export const READ_BUFFER_BYTES = 64 * 1024;

export class UpstreamConnection {
  readonly target: UpstreamTarget;
  readonly startedAtNs = nowNs();
  readonly socket: net.Socket;
  user: ConnectionUser | undefined;
  /** For whom it was used last. */
  client: object | undefined;
  /** Carried at least one exchange before the present one. */
  reused = false;
  ready = false;
  /** When it was last given back. */
  releasedAtNs = 0;
  dnsNs: number | undefined;
  tcpNs: number | undefined;
  tlsNs: number | undefined;
  idleTimer: NodeJS.Timeout | undefined;

  constructor(target: UpstreamTarget, open: (connection: UpstreamConnection) => net.Socket) {
    this.target = target;
    this.socket = open(this);
  }

  destroy(): void {
    this.user = undefined;
    clearTimeout(this.idleTimer);
    this.socket.destroy();
  }
}

export class UpstreamPool {
  // One buffer serves all plain connections: bytes are taken out of it before the callback returns,
  // so nothing is allocated for a read and an idle stream holds no buffer.
  readonly #readBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  readonly #dialer = new Dialer();
  readonly #idle = new Map<UpstreamTarget, IdleConnections<UpstreamConnection>>();
  readonly #floors = new Map<UpstreamTarget, FloorWindow>();
  readonly #trusts = new Map<UpstreamTarget, ReuseTrust>();
  /** Undefined while every target is welcome. */
  #kept: ReadonlySet<UpstreamTarget> | undefined;
  #idleCount = 0;
  readonly #onSurplus: () => void;

  /** `onSurplus`: a connection was given up because bytes came on it that belong to no request. */
  constructor(onSurplus: () => void) {
    this.#onSurplus = onSurplus;
  }

  /** A connection for one exchange: a kept one, or one that is being made. */
  acquire(target: UpstreamTarget, user: ConnectionUser): UpstreamConnection {
    const kept = this.#takeIdle(target, user.client);
    if (kept) {
      kept.user = user;
      kept.client = user.client;
      kept.reused = true;
      return kept;
    }
    return this.acquireFresh(target, user);
  }

  /** A connection that nobody had before. */
  acquireFresh(target: UpstreamTarget, user: ConnectionUser): UpstreamConnection {
    const connection = this.#connect(target);
    connection.user = user;
    connection.client = user.client;
    return connection;
  }

  /** Bytes came that no request asked for: what follows on kept connections of this upstream cannot be trusted. */
  noteSurplus(target: UpstreamTarget): void {
    this.#onSurplus();
    this.#trustOf(target).surplus(nowNs());
    this.#closeAll(this.#idle.get(target));
  }

  /** The upstream is of a kind that closes connections which it promised to keep. */
  doubt(target: UpstreamTarget): void {
    this.#trustOf(target).doubt();
  }

  /** Gives a connection back after a complete exchange. `keepAliveMs`: the engine's own hint. */
  release(connection: UpstreamConnection, keepAliveMs: number | undefined): void {
    connection.user = undefined;
    if (connection.reused) this.#trustOf(connection.target).kept();
    connection.releasedAtNs = nowNs();
    const idleMs = Math.min(UPSTREAM_KEEP_ALIVE_MS, keepAliveMs === undefined ? Infinity : keepAliveMs - 1_000);
    const isWanted =
      this.#kept?.has(connection.target) !== false && this.#trustOf(connection.target).keeps(connection.releasedAtNs);
    if (!isWanted || idleMs <= 0 || this.#idleCount >= UPSTREAM_IDLE_MAX_COUNT || !connection.socket.writable) {
      connection.destroy();
      return;
    }
    connection.socket.resume();
    connection.idleTimer = setTimeout(() => this.#dropIdle(connection), idleMs);
    connection.idleTimer.unref();
    this.#idleOf(connection.target).add(connection);
    this.#idleCount += 1;
  }

  /** How this connection was had; a kept one cost this exchange nothing. */
  factsOf({ target, reused, dnsNs, tcpNs, tlsNs }: UpstreamConnection): ConnectionCost {
    const wireFloorNs = this.#floors.get(target)?.floorNs(nowNs());
    if (reused) return { reused, dnsNs: undefined, tcpNs: undefined, tlsNs: undefined, wireFloorNs };
    return { reused, dnsNs, tcpNs, tlsNs, wireFloorNs };
  }

  /** Forgets all other targets: what is idle there is closed, what is in use is not kept afterwards. */
  keepOnly(targets: ReadonlySet<UpstreamTarget>): void {
    this.#kept = targets;
    this.#dialer.keepOnly(targets);
    for (const [target, connections] of this.#idle) {
      if (targets.has(target)) continue;
      this.#closeAll(connections);
      this.#idle.delete(target);
    }
    for (const book of [this.#floors, this.#trusts]) {
      for (const target of book.keys()) if (!targets.has(target)) book.delete(target);
    }
  }

  /** Closes what nobody uses. */
  closeIdle(): void {
    for (const connections of this.#idle.values()) this.#closeAll(connections);
  }

  #closeAll(connections: IdleConnections<UpstreamConnection> | undefined): void {
    for (const connection of connections?.clear() ?? []) {
      this.#idleCount -= 1;
      connection.destroy();
    }
  }

  #idleOf(target: UpstreamTarget): IdleConnections<UpstreamConnection> {
    const present = this.#idle.get(target);
    if (present) return present;
    const created = new IdleConnections<UpstreamConnection>();
    this.#idle.set(target, created);
    return created;
  }

  #trustOf(target: UpstreamTarget): ReuseTrust {
    const present = this.#trusts.get(target);
    if (present) return present;
    const created = new ReuseTrust();
    this.#trusts.set(target, created);
    return created;
  }

  #takeIdle(target: UpstreamTarget, client: object): UpstreamConnection | undefined {
    const connections = this.#idle.get(target);
    if (connections === undefined || connections.count === 0) return undefined;
    const trust = this.#trustOf(target);
    const atNs = nowNs();
    for (;;) {
      const kept = connections.find(client, trust, atNs);
      if (kept === undefined) return undefined;
      connections.remove(kept);
      this.#idleCount -= 1;
      clearTimeout(kept.idleTimer);
      if (kept.socket.writable && !kept.socket.readableEnded) return kept;
      kept.destroy();
    }
  }

  #dropIdle(connection: UpstreamConnection): void {
    if (this.#idle.get(connection.target)?.remove(connection) === true) this.#idleCount -= 1;
    connection.destroy();
  }

  #connect(target: UpstreamTarget): UpstreamConnection {
    const connection = new UpstreamConnection(target, (self) =>
      this.#dialer.open(target, {
        buffer: this.#readBuffer,
        callback: (byteCount, buffer) => this.#onRead(self, (buffer as Buffer).subarray(0, byteCount)),
      }),
    );
    const { socket } = connection;
    // Not a byte of the request may leave before the certificate was checked.
    if (target.secure) socket.cork();
    readOnAfterFailedWrite(socket);
    let attemptAtNs = connection.startedAtNs;
    let idleAtAttemptNs = loopIdleNs();
    socket.on('lookup', () => {
      connection.dnsNs = nowNs() - connection.startedAtNs;
    });
    // With several addresses the last attempt before `connect` is the one that won.
    socket.on('connectionAttempt', () => {
      attemptAtNs = nowNs();
      idleAtAttemptNs = loopIdleNs();
    });
    let tcpAtNs = attemptAtNs;
    socket.on('connect', () => {
      tcpAtNs = nowNs();
      connection.tcpNs = tcpAtNs - attemptAtNs;
      this.#noteHandshake(target, connection.tcpNs, Math.round(loopIdleNs() - idleAtAttemptNs));
      if (!target.secure) this.#onReady(connection);
    });
    socket.on('secureConnect', () => {
      connection.tlsNs = nowNs() - tcpAtNs;
      this.#onReady(connection);
    });
    socket.on('drain', () => connection.user?.onDrain());
    socket.on('end', () => {
      this.#noteEnd(connection);
      if (connection.user) connection.user.onEof();
      else this.#dropIdle(connection);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#noteEnd(connection);
      this.#onGone(connection, error.code ?? 'ERROR');
    });
    socket.on('close', () => this.#onGone(connection, 'CLOSED'));
    return connection;
  }

  #onReady(connection: UpstreamConnection): void {
    connection.ready = true;
    if (connection.target.secure) connection.socket.uncork();
    connection.user?.onConnected();
  }

  #onRead(connection: UpstreamConnection, bytes: Buffer): boolean {
    if (connection.user) return connection.user.onBytes(bytes);
    // Bytes that belong to no request: the next answer on this connection could be a forgery.
    this.#dropIdle(connection);
    this.noteSurplus(connection.target);
    return true;
  }

  /** The engine ended a connection: after an answer and before the next, or at once under the next. */
  #noteEnd({ target, releasedAtNs }: UpstreamConnection): void {
    if (releasedAtNs > 0) this.#trustOf(target).ended(releasedAtNs, nowNs());
  }

  #onGone(connection: UpstreamConnection, code: string): void {
    const { user } = connection;
    if (user === undefined) return this.#dropIdle(connection);
    connection.user = undefined;
    user.onFault(code);
  }

  /**
   * A floor must not hold our own lateness: a handshake whose end was seen late by a busy loop (all time
   * in which the loop did not wait) is no measure of the wire.
   */
  #noteHandshake(target: UpstreamTarget, tcpNs: number, waitedNs: number): void {
    const lateNs = tcpNs - waitedNs;
    if (lateNs > Math.max(HANDSHAKE_LATE_NS, tcpNs * HANDSHAKE_LATE_RATIO)) return;
    let floor = this.#floors.get(target);
    if (floor === undefined) {
      floor = new FloorWindow();
      this.#floors.set(target, floor);
    }
    floor.add(nowNs(), tcpNs);
  }
}
