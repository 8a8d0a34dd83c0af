// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/warptape/warptape/trace/tracetest"
)

// browser is a tab of Chromium that has a page open.
type browser struct {
	t   *testing.T
	ctx context.Context

	lock     sync.Mutex
	requests []string // for other files than the page's own
	errors   []string // that its program threw or wrote
}

// chromium starts headless Chromium once for all tests; the context is nil without one.
var chromium = sync.OnceValue(func() context.Context {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless_shell"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1300, 900))
		all, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, _ := chromedp.NewContext(all)
		stopChromium = func() {
			_ = chromedp.Cancel(ctx) // waits for its end, however that comes about
			stop()
		}
		return ctx
	}
	return nil
})

// stopChromium ends what chromium has started.
var stopChromium = func() {}

// guard ends what hangs; nothing is measured by it.
const guard = 5 * time.Minute

// openPage opens a page in a tab of its own; the test skips where there is no Chromium.
func openPage(t *testing.T, d *Document) *browser {
	t.Helper()
	if chromium() == nil {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	if err := chromedp.Do(chromium()); err != nil { // the first call starts it
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, pageOf(t, d), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, stop := chromedp.NewContext(chromium())
	t.Cleanup(stop)
	b := &browser{t: t, ctx: ctx}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	if err := chromedp.Listen(ctx, func(event any) { b.hear(event, address) }); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(address), chromedp.WaitReady("footer p"))
	return b
}

// hear keeps what a page should not do.
func (b *browser) hear(event any, address string) {
	b.lock.Lock()
	defer b.lock.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Request.URL != address && !strings.HasPrefix(e.Request.URL, "data:image/svg+xml;base64,") {
			b.requests = append(b.requests, e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, "console: "+string(e.Type))
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, guard)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// text evaluates an expression.
func (b *browser) text(expression string) string {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, guard)
	defer stop()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *browser) want(expression, want string) {
	b.t.Helper()
	if got := b.text(expression); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// sound checks that nothing has failed and nothing was asked for.
func (b *browser) sound() {
	b.t.Helper()
	b.want(`[...document.querySelectorAll(".failed")].filter(e => !e.closest("noscript")).map(e => e.textContent)`, "")
	b.lock.Lock()
	defer b.lock.Unlock()
	if len(b.requests) > 0 || len(b.errors) > 0 {
		b.t.Errorf("requests %q, errors %q", b.requests, b.errors)
	}
}

// TestEveryChartOfAPageIsDrawn, in both colours and on paper.
func TestEveryChartOfAPageIsDrawn(t *testing.T) {
	tracetest.Nightly(t)
	d := documentOf(t, small(t))
	b := openPage(t, d)
	b.sound()
	charts := 0
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			if p.Chart != nil {
				charts++
			}
		}
	}
	if charts < 8 {
		t.Errorf("%d charts", charts)
	}
	b.want(`[...document.querySelectorAll("figure.chart")].filter(f => f.querySelector(".drawing svg rect, .drawing svg circle")).length`, strconv.Itoa(charts))
	// Every point without a result is named below the chart of stalls.
	b.want(`document.querySelectorAll("#stalls .missing li").length`, "8")
	b.want(`document.querySelector("#stalls .missing li").textContent.includes("impossible: ")`, "true")
	light := b.text(`getComputedStyle(document.body).backgroundColor`)
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	if dark := b.text(`getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("dark and light pages have one background: %s", dark)
	}
	ctx, stop := context.WithTimeout(b.ctx, guard)
	defer stop()
	if paper, err := chromedp.Run(ctx, chromedp.PrintToPDF()); err != nil || len(paper) < 10_000 {
		t.Errorf("the paper has %d bytes: %v", len(paper), err)
	}
	b.sound()
}

// TestAPageIsUsableByKeyboard: points are read out, choices and orders are changed.
func TestAPageIsUsableByKeyboard(t *testing.T) {
	tracetest.Nightly(t)
	b := openPage(t, documentOf(t, small(t)))
	b.do(chromedp.Focus("#stalls .drawing"), chromedp.KeyEvent(kb.ArrowRight))
	b.want(`document.querySelector("#stalls .readout").textContent.startsWith("trace: spmv; machine: gtx480")`, "true")
	b.want(`document.querySelectorAll("#stalls .drawing .at").length > 0`, "true")
	b.do(chromedp.KeyEvent(kb.End))
	b.want(`document.querySelector("#stalls .readout").textContent.includes("machine: mesh56")`, "true")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.want(`document.querySelector("#stalls .readout").textContent`, "")

	// The second trace is chosen, and all bars are of it.
	b.do(chromedp.Focus("#stalls select"), chromedp.KeyEvent("saxpy"))
	b.do(chromedp.Focus("#stalls .drawing"), chromedp.KeyEvent(kb.ArrowDown))
	b.want(`document.querySelector("#stalls .readout").textContent.startsWith("trace: saxpy")`, "true")

	// A table is sorted by its second column, and again the other way.
	const heads = `[...document.querySelectorAll("#provenance table")][0].querySelectorAll("th")`
	b.do(chromedp.Focus("#provenance th button"), chromedp.KeyEvent(kb.Enter))
	b.want(heads+`[0].getAttribute("aria-sort")`, "ascending")
	b.want(`document.querySelector("#provenance td").textContent`, "saxpy")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.want(heads+`[0].getAttribute("aria-sort")`, "descending")
	b.want(`document.querySelector("#provenance td").textContent`, "spmv")
	b.sound()
}

// TestHostileTextStaysText in a browser.
func TestHostileTextStaysText(t *testing.T) {
	tracetest.Nightly(t)
	b := openPage(t, hostileDocument())
	b.want(`document.title`, hostile)
	b.want(`document.querySelector("h1").textContent`, hostile)
	b.want(`document.querySelectorAll("img:not(.picture img)").length`, "0")
	b.want(`document.querySelectorAll("script").length`, "2")
	b.sound()
}

// TestASweepWithoutResultsHasAPage that says what is missing.
func TestASweepWithoutResultsHasAPage(t *testing.T) {
	tracetest.Nightly(t)
	store := small(t)
	if err := os.RemoveAll(filepath.Join(store.Root(), "points")); err != nil {
		t.Fatal(err)
	}
	b := openPage(t, documentOf(t, store))
	b.want(`document.querySelectorAll("#stalls .empty").length`, "1")
	b.want(`document.querySelectorAll("#missing tbody tr").length`, "16")
	b.sound()
}
