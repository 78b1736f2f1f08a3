/*! LeadPulse 1.0.0; source: libs/snippet */
(() => {
  const e = 1e3,
    t = `mp_queue`;
  function n({ url: n, visitorId: r, store: i }) {
    let a = [],
      o = !1,
      s = !1,
      c = e,
      l,
      u = (e) => JSON.stringify({ sent_at: /* @__PURE__ */ new Date().toISOString(), visitor_id: r(), events: e });
    function d(e) {
      clearTimeout(l), (l = setTimeout(() => void f(), e));
    }
    async function f() {
      if (o || !s || !a[0]) return;
      o = !0;
      let t = a.slice(0, 20),
        r = 0;
      try {
        const { status: r } = await fetch(n, { method: `POST`, body: u(t), keepalive: !0, credentials: `omit` });
        if (r === 429 || r > 499) throw r;
        r > 299 && console.warn(`mp: events were rejected (${r})`), (a = a.filter((e) => !t.includes(e))), (c = e);
      } catch {
        (r = c), (c = Math.min(c * 2, 6e4));
      }
      (o = !1), a[0] && d(r);
    }
    function p() {
      if (s) {
        for (; a[0] && navigator.onLine && navigator.sendBeacon(n, u(a.slice(0, 20))); ) a.splice(0, 20);
        a[0] && i()?.setItem(t, JSON.stringify([...m(), ...a].slice(-200)));
      }
    }
    function m() {
      try {
        return JSON.parse(i()?.getItem(t) ?? `[]`);
      } catch {
        return [];
      }
    }
    return (
      addEventListener(`online`, () => d(0)),
      addEventListener(`pagehide`, p),
      document.addEventListener(`visibilitychange`, () => document.visibilityState === `hidden` && p()),
      {
        add(e) {
          (a = [...a, e].slice(-200)), s && !o && d(0);
        },
        start() {
          s = !0;
          const e = m();
          i()?.removeItem(t), (a = [...e, ...a]), d(0);
        },
        stop() {
          (s = !1), (a = []), i()?.removeItem(t);
        },
      }
    );
  }
  const r = /\.(pdf|docx?|xlsx?|pptx?|csv|txt|zip|gz|tar|rar|7z|dmg|pkg|exe|msi|apk|mp3|mp4|avi|mov|wav)$/i;
  function i(e, t) {
    const n = (t) => e.includes(t);
    function i({ target: e }) {
      const i = e instanceof Element ? e.closest(`a`) : null;
      i &&
        /^https?:$/.test(i.protocol) &&
        (n(`downloads`) && r.test(i.pathname)
          ? t(`file_download`, { url: i.href })
          : n(`outbound`) && i.host !== location.host && t(`outbound_link`, { url: i.href }));
    }
    return (
      (n(`downloads`) || n(`outbound`)) && (document.addEventListener(`click`, i, !0), document.addEventListener(`auxclick`, i, !0)),
      n(`forms`) &&
        document.addEventListener(
          `submit`,
          ({ target: e }) => {
            e instanceof HTMLFormElement && t(`form_submit`, { id: e.id, name: e.getAttribute(`name`) ?? `` });
          },
          !0,
        ),
      n(`engagement`) ? a(t) : { leavePage: () => void 0 }
    );
  }
  function a(e) {
    let t,
      n = 0;
    function r() {
      const { scrollHeight: e } = document.documentElement;
      n = Math.max(n, Math.min(100, Math.round(((scrollY + innerHeight) / e) * 100)));
    }
    function i() {
      (t = performance.now()), r();
    }
    function a() {
      t !== void 0 && (e(`$engagement`, { seconds: Math.round((performance.now() - t) / 1e3), scroll_depth: n }), (t = void 0));
    }
    return (
      addEventListener(`scroll`, r, { passive: !0 }),
      document.addEventListener(`visibilitychange`, () => (document.visibilityState === `hidden` ? a() : i())),
      addEventListener(`pagehide`, a),
      i(),
      {
        leavePage() {
          a(), (n = 0), i();
        },
      }
    );
  }
  const o = () =>
      crypto.randomUUID?.() ??
      Array.from(crypto.getRandomValues(/* @__PURE__ */ new Uint8Array(16)), (e) => e.toString(16).padStart(2, `0`)).join(``),
    s = (e) => ({
      page: { url: location.href.slice(0, 2048), title: document.title.slice(0, 300), referrer: e.slice(0, 2048) },
      locale: navigator.language,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      screen: `${screen.width}x${screen.height}`,
    }),
    c = `mp_id`;
  function l() {
    try {
      return localStorage;
    } catch {
      return;
    }
  }
  function u(e, t, n) {
    e === `local` && (n ? l()?.setItem(c, t) : l()?.removeItem(c)),
      e === `cookie` &&
        (document.cookie = `${c}=${t}; path=/; max-age=${n}; samesite=lax${location.protocol === `https:` ? `; secure` : ``}`);
  }
  const d = (e) => (e === `local` ? l()?.getItem(c) : document.cookie.match(/(?:^|; )mp_id=([\w-]+)/)?.[1]);
  function f(e) {
    if (e === `none`) return;
    const t = d(e) ?? o();
    return u(e, t, 31536e3), t;
  }
  const p = (e) => u(e, ``, 0),
    m = () => (`globalPrivacyControl` in navigator && navigator.globalPrivacyControl === !0) || navigator.doNotTrack === `1`;
  function h({ key: e, endpoint: t, storage: r = `none`, ...a }) {
    let c = !a.ignoreSignals && m() ? `denied` : a.consentRequired ? `pending` : `granted`,
      u,
      d = document.referrer,
      h = n({ url: `${t}?key=${e}`, visitorId: () => f(r), store: () => (r === `local` ? l() : void 0) });
    function g(e, t) {
      c !== `denied` && h.add({ event: e, message_id: o(), timestamp: /* @__PURE__ */ new Date().toISOString(), ...t, context: s(d) });
    }
    const _ = i(a.interactions ?? [], (e, t) => g(e, { properties: t })),
      v = () => location.href.split(`#`)[0] ?? ``;
    function y(e) {
      u !== void 0 && (_.leavePage(), (d = u)), (u = v()), g(`$pageview`, { properties: e });
    }
    function b() {
      v() !== u && y();
    }
    if (!a.manual) {
      const { pushState: e } = history;
      (history.pushState = function (...t) {
        e.apply(this, t), setTimeout(b);
      }),
        addEventListener(`popstate`, () => setTimeout(b)),
        addEventListener(`pageshow`, ({ persisted: e }) => e && y()),
        `prerendering` in document && document.prerendering ? document.addEventListener(`prerenderingchange`, () => y()) : y();
    }
    return (
      c === `granted` && h.start(),
      {
        page: y,
        track: (e, t, n = {}) => g(e, { properties: t, value: n.value }),
        identify: ({ token: e }) => g(`$identify`, { token: e }),
        consent(e) {
          const t = c;
          (c = e), e === `denied` ? (h.stop(), p(r)) : t !== `granted` && (h.start(), t === `denied` && !a.manual && y());
        },
        reset: () => p(r),
      }
    );
  }
  const g = document.currentScript;
  if (g instanceof HTMLScriptElement) {
    const { key: e = ``, storage: t, consent: n, signals: r, manual: i, track: a = `` } = g.dataset,
      o = h({
        key: e,
        endpoint: new URL(`events`, g.src).href,
        storage: t === `local` || t === `cookie` ? t : `none`,
        consentRequired: n === `required`,
        ignoreSignals: r === `ignore`,
        manual: i !== void 0,
        interactions: a.split(` `),
      }),
      s = window.mp?.q ?? [],
      c = (e, t) => {
        const n = Object.hasOwn(o, e) ? Reflect.get(o, e) : void 0;
        typeof n == `function` ? n(...t) : console.warn(`mp: unknown call ${e}`);
      };
    window.mp = (e, ...t) => c(e, t);
    for (const e of s) {
      const [t, ...n] = Array.from(e);
      c(String(t), n);
    }
  }
})();
