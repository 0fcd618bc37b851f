//===- main.tsx - The frame of the page -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads the data, then shows the navigation and the view that the address
// names. A view that fails must not take the others with it.
//===----------------------------------------------------------------------===//
import { Component, render } from "preact";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { load } from "./data";
import type { Build, Data } from "./data";
import "./style.css";
import {
  currentView,
  hrefOf,
  isSecondShown,
  setTheme,
  showBuild,
  theme,
} from "./store";
import type { Theme } from "./store";
import { Name } from "./ui/Value";
import { views } from "./views";
import type { View } from "./views";

class Guard extends Component<{ title: string; children: ComponentChildren }> {
  override state = { message: "" };

  override componentDidCatch(error: unknown) {
    console.error(error);
    this.setState({ message: String(error) });
  }

  render() {
    if (this.state.message === "") return this.props.children;
    return (
      <p class="notice" role="alert">
        {this.props.title} cannot be shown: {this.state.message}
      </p>
    );
  }
}

function Header(props: { data: Data }) {
  const { main, first, second } = props.data;
  const target = main.context?.["target_hardware"];
  const mode = main.context?.["npu_mode"];
  return (
    <header>
      <button
        type="button"
        class="skip"
        onClick={() => document.getElementById("main")?.focus()}
      >
        Skip to the content
      </button>
      <strong>Parallax</strong>
      <span class="model">
        <Name of={main.report.model || "model"} most={40} />
      </span>
      {typeof target === "string" && (
        <span class="soft">
          {target} {typeof mode === "string" ? mode : ""}
        </span>
      )}
      <span class="soft">
        {!second && <Name of={first.report.folder} most={40} />}
      </span>
      {second && <BuildSwitch first={first} second={second} />}
      <label class="theme">
        <span class="soft">Theme</span>
        <select
          value={theme.value}
          onChange={(event) => setTheme(event.currentTarget.value as Theme)}
        >
          <option value="auto">system</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
    </header>
  );
}

/// Which one of two builds all views show.
function BuildSwitch(props: { first: Build; second: Build }) {
  return (
    <span class="builds" role="group" aria-label="Shown build">
      {[props.first, props.second].map((build, i) => (
        <button
          key={i}
          type="button"
          aria-pressed={isSecondShown.value === (i === 1)}
          onClick={() => showBuild(i === 1)}
        >
          {i === 0 ? "first: " : "second: "}
          <Name of={build.report.folder} most={30} />
        </button>
      ))}
    </span>
  );
}

function Navigation(props: { views: readonly View[]; current: string }) {
  return (
    <nav aria-label="Views">
      <ul>
        {props.views.map(({ id, title }) => (
          <li key={id}>
            <a
              href={hrefOf(id)}
              aria-current={id === props.current ? "page" : undefined}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/// Views say that a file is missing; this says that it is there, but broken.
function Unreadable(props: { data: Data }) {
  const { first, second } = props.data;
  const files = [first, second].flatMap((build) =>
    (build?.unreadable ?? []).map((file) => ({ build, ...file })),
  );
  if (files.length === 0) return null;
  return (
    <ul class="notice" role="status">
      {files.map(({ build, name, reason }, i) => (
        <li key={i}>
          {second && (
            <>
              <Name of={build?.report.folder ?? ""} most={40} />:{" "}
            </>
          )}
          {name} cannot be read, and what it says is not shown:{" "}
          <Name of={reason} most={200} />
        </li>
      ))}
    </ul>
  );
}

/// The data with the build that is to be shown as the main one.
function shownData(data: Data): Data {
  const { first, second } = data;
  if (!second || !isSecondShown.value) return data;
  return { ...data, main: second, other: first };
}

function Page(props: { data: Data }) {
  const isSecond = isSecondShown.value;
  const data = useMemo(() => shownData(props.data), [props.data, isSecond]);
  const offered = views.filter((view) => view.isAvailable(data));
  const wanted = currentView.value;
  const view = offered.find(({ id }) => id === wanted) ?? offered[0]!;
  const chosen = theme.value;
  useEffect(() => {
    document.documentElement.dataset["theme"] = chosen;
  }, [chosen]);
  useEffect(() => {
    scrollTo(0, 0);
    // In a narrow window the links are a line that scrolls by itself.
    document
      .querySelector("nav [aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "center" });
    document.title = `${view.title} – ${data.main.report.model} – Parallax`;
  }, [view, data]);
  return (
    <>
      <Header data={data} />
      <Navigation views={offered} current={view.id} />
      <main id="main" tabIndex={-1}>
        <h1>{view.title}</h1>
        <Unreadable data={data} />
        <Guard key={`${view.id} ${isSecond}`} title={view.title}>
          <view.component data={data} />
        </Guard>
      </main>
    </>
  );
}

async function start(root: HTMLElement): Promise<void> {
  try {
    const data = await load();
    root.replaceChildren();
    render(<Page data={data} />, root);
  } catch (error) {
    root.textContent = `The data of this report cannot be read: ${String(error)}`;
  }
}

void start(document.getElementById("app")!);
